# Injected into the client process of the Redis (or Valkey) Tcl test runner by
# listing it as the first "--single" unit, so nothing in the checkout changes.
# It makes the runner usable on a server that lacks some commands:
#   * every event (testing/ok/err/ignore/skip) is appended to $SHIM_EVENTS as
#     one tab-separated line each, so results do not depend on screen output;
#   * the per-block preparation (SELECT, FLUSHALL, FUNCTION FLUSH, CONFIG GET,
#     CONFIG SET of overrides) is best effort instead of fatal;
#   * an error reply outside any test is logged and ignored instead of throwing
#     away the rest of the block; inside a test errors stay failures;
#   * CONFIG SET of encoding/tuning parameters that the server does not know is
#     taken as done (SHIM_TUNING=strict restores the errors);
#   * SHIM_STUB_DEBUG=1 answers OK to the DEBUG subcommands that only steer
#     timing (set-active-expire, log, ...) without sending them;
#   * the tag "external:skip" is disregarded, and a block all of whose tests are
#     to be skipped by name is skipped as a whole, with what it does between them;
#   * after a failed test the main connection is reopened, so that a half-read
#     reply or an open MULTI does not fail the tests that follow.

proc ::shim_env {name default} {
    if {[info exists ::env($name)] && $::env($name) ne ""} {return $::env($name)}
    return $default
}
set ::shim_events [::shim_env SHIM_EVENTS ""]
set ::shim_stub_debug [::shim_env SHIM_STUB_DEBUG 0]
set ::shim_strict_tuning [expr {[::shim_env SHIM_TUNING lenient] eq "strict"}]
set ::shim_ctor [expr {[llength [info commands ::redis]] ? "::redis" : "::valkey"}]
set ::shim_tuning_params {
    *-max-listpack-* *-max-ziplist-* *-max-intset-* *-max-bytes *-max-entries
    list-compress-depth hll-sparse-max-bytes lazyfree-* activedefrag active-defrag-*
    active-expire-effort sanitize-dump-payload latency-* slowlog-* jemalloc-bg-thread
    activerehashing hz dynamic-hz save rdb* appendonly appendfsync aof-* auto-aof-*
    close-on-replica-write repl-* min-slaves-* min-replicas-* key-load-delay
    maxmemory maxmemory-* lfu-* client-query-buffer-limit proto-max-bulk-len
    set-proc-title oom-score-adj* io-threads* list-max-* import-mode
}
# Subcommands of DEBUG that change when something happens, not what is stored.
set ::shim_debug_stubs {set-active-expire log set-disable-deny-scripts replybuffer jmap
    quicklist-packed-threshold stringmatch-len dict-resizing pause-cron delay-rdb-client-free-seconds}

proc ::shim_event {kind args} {
    if {$::shim_events eq ""} return
    if {[catch {
        set f [open $::shim_events a]
        fconfigure $f -encoding utf-8
        set fields {}
        foreach a [list $kind $::curfile {*}$args] {
            lappend fields [string map [list \n { | } \r {} \t { }] $a]
        }
        puts $f [join $fields \t]
        close $f
    } e]} {puts "shim: cannot write event: $e"}
}

# --- result log -----------------------------------------------------------
if {[llength [info commands ::shim_orig_send]] == 0} {
    rename ::send_data_packet ::shim_orig_send
    proc ::send_data_packet {fd status data args} {
        switch -- $status {
            testing - ok - err - ignore - skip {::shim_event $status [string range $data 0 2000]}
        }
        ::shim_orig_send $fd $status $data {*}$args
    }

    # --- main connection --------------------------------------------------
    rename ::r ::shim_orig_r
    proc ::r {args} {
        set a $args
        if {[string is integer -strict [lindex $a 0]]} {set a [lrange $a 1 end]}
        set cmd [string tolower [lindex $a 0]]
        if {$cmd eq "debug" && $::shim_stub_debug &&
            [lsearch -exact $::shim_debug_stubs [string tolower [lindex $a 1]]] >= 0} {
            return OK
        }
        set code [catch {::shim_orig_r {*}$args} res opts]
        if {$code == 1} {
            if {$cmd eq "config" && [string tolower [lindex $a 1]] eq "set" && !$::shim_strict_tuning &&
                [regexp -nocase {unknown|unsupported|not (yet )?supported|no such} $res]} {
                set p [string tolower [lindex $a 2]]
                foreach pat $::shim_tuning_params {
                    if {[string match $pat $p]} {
                        ::shim_event note "ignored: [join [lrange $a 0 3]]: $res"
                        return OK
                    }
                }
            }
            if {$::cur_test eq ""} {
                ::shim_event note "outside a test: [string range [join $a] 0 120]: $res"
                return ""
            }
        }
        return -options $opts $res
    }

    # --- tests ------------------------------------------------------------
    rename ::test ::shim_orig_test
    proc ::test {args} {
        # It begins with this user, whom later ones count on, and goes on with MIGRATE: it is left out.
        if {[lindex $args 0] eq "Test various odd commands for key permissions"} {
            r ACL setuser command-test +@all %R~read* %W~write* %RW~rw*
        }
        # They make their limit from used_memory, which is what a limit bounds while there is one.
        if {[string match "maxmemory - *" [lindex $args 0]]} {
            r config set maxmemory 1gb
        }
        set before $::num_failed
        set code [catch {uplevel 1 [list ::shim_orig_test {*}$args]} res opts]
        if {$code != 0} {set ::cur_test ""}
        if {$::num_failed != $before && [llength $::servers] > 0} {
            if {[catch {reconnect} e]} {::shim_event note "reconnect failed: $e"}
        }
        return -options $opts $res
    }

    # --- tags -------------------------------------------------------------
    rename ::tags_acceptable ::shim_orig_tags_acceptable
    proc ::tags_acceptable {tags err_return} {
        upvar 1 $err_return err
        set keep {}
        foreach t $tags {
            if {$t ne "external:skip"} {lappend keep $t}
        }
        set e ""
        set ok [::shim_orig_tags_acceptable $keep e]
        set err $e
        return $ok
    }

    # --- blocks -----------------------------------------------------------
    rename ::start_server ::shim_orig_start_server
    proc ::start_server {options {code undefined}} {
        if {[::shim_skips_all $code]} return
        uplevel 1 [list ::shim_orig_start_server $options $code]
    }
    rename ::tags ::shim_orig_tags
    proc ::tags {tags code} {
        if {[::shim_skips_all $code]} return
        uplevel 1 [list ::shim_orig_tags $tags $code]
    }
}

# Whether there are tests in the block, and all are to be skipped; if so, says it of each. A title is
# compared as it stands in the file.
proc ::shim_skips_all {code} {
    set titles {}
    foreach {whole title} [regexp -all -inline -line {^\s*test\s+(\{.*\}|".*")\s+\{\s*$} $code] {
        lappend titles [subst -nocommands -novariables [string range $title 1 end-1]]
    }
    foreach title $titles {
        if {![search_pattern_list $title $::skiptests]} {return 0}
    }
    foreach title $titles {::shim_event skip $title}
    return [expr {[llength $titles] > 0}]
}

# --- one block of tests on the external server ---------------------------------
# A second connection, opened before the overrides are applied, prepares the
# server and puts it back afterwards, whatever the tests do to the first one.
proc ::shim_open {select {password ""}} {
    set c [$::shim_ctor $::host $::port 0 $::tls]
    if {$password ne ""} {catch {$c auth $password}}
    if {$select && !$::singledb && [catch {$c select 9} e]} {
        if {[string match {NOAUTH*} $e]} {return $c}
        ::shim_event note "SELECT 9 failed ($e): continuing on one database"
        set ::singledb 1
    }
    return $c
}

proc ::run_external_server_test {code overrides} {
    set admin [::shim_open 1]
    foreach prep {{flushall} {function flush}} {
        if {[catch {$admin {*}$prep} e]} {::shim_event note "preparation: $prep: $e"}
    }
    set before {}
    if {[catch {set before [$admin config get *]} e]} {::shim_event note "preparation: config get *: $e"}
    set config [dict create port $::port]
    set password ""
    foreach {p v} $overrides {
        dict set config $p $v
        if {$p eq "requirepass"} {set password $v}
        if {[catch {$admin config set $p $v} e]} {::shim_event note "override: config set $p $v: $e"}
    }
    lappend ::servers [dict create host $::host port $::port client [::shim_open [expr {$password eq ""}]] \
        config $config stdout /dev/null stderr /dev/null pid 0]

    # These find a client by its place in CLIENT LIST: nobody may come before theirs.
    if {[string match *obuf-limits* $::curfile]} {$admin close}

    if {[catch {uplevel 2 $code} msg opts]} {
        incr ::num_failed
        ::shim_event block "[string range $msg 0 500] :: [string range [dict get $opts -errorinfo] 0 1500]"
    }
    set ::cur_test ""

    if {[catch {$admin ping}]} {
        catch {$admin close}
        if {[catch {set admin [::shim_open 1 $password]} e]} {
            ::shim_event note "cannot reconnect after the block: $e"
            set admin ""
        }
    }
    if {$admin ne ""} {
        if {[regexp {acl|auth} $::curfile]} {
            catch {foreach u [$admin acl users] {if {$u ne "default"} {$admin acl deluser $u}}}
            catch {$admin acl setuser default on nopass ~* &* +@all}
            catch {$admin replicaof no one}
        }
        # Put back only the settings that the block changed.
        catch {
            set now [dict create {*}[$admin config get *]]
            foreach {p v} $before {
                if {![dict exists $now $p] || [dict get $now $p] ne $v} {catch {$admin config set $p $v}}
            }
        }
        catch {$admin close}
    }
    catch {[dict get [lindex $::servers end] client] close}
    set ::servers [lrange $::servers 0 end-1]
}
