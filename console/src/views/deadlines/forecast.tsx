// The chart of deaths to come. Buttons and dragging zoom; a bar (or a line of the table) opens the keys that die in it.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { count, plural, roughly, size } from '../../app/figures';
import { useShownTheme } from '../../app/theme';
import { instant, length, serverNow, useNow } from '../../app/time';
import { Bars } from '../../parts/bars';
import { Fault, Nothing, Panel, Rows } from '../../parts/basics';
import { Choice } from '../../parts/inputs';
import { DyingKeys } from './dying_keys';
import type { Source, Span, Window } from './spans';
import { useSpans } from './spans';

const kMinute = 60_000;
const kDay = 86_400_000;
const kWindows: [string, number][] = [
  ['1 min', kMinute],
  ['1 h', 60 * kMinute],
  ['1 day', kDay],
  ['1 week', 7 * kDay],
  ['30 days', 30 * kDay],
  ['1 year', 365 * kDay],
  ['10 years', 3650 * kDay],
];
const kWindowMin = 5000;

// A small forecast is counted again and again, so that one sees keys die.
const kFollowedMax = 20_000;
const kFollowEveryMax = 5000;

const keysWords = (value: number) => roughly(value);
const bytesWords = (value: number) => size(value);

// How far marks of the upright axis are apart: keys come whole, bytes in powers of two.
const kKeysMarks = Array.from({ length: 12 }, (_, at) => [1, 2, 5].map((one) => one * 10 ** at)).flat();
const kBytesMarks = Array.from({ length: 50 }, (_, at) => 2 ** at);

export function Forecast({ source }: { source: Source }) {
  if (useNow() === 0) return <Nothing>Waiting for the server’s time …</Nothing>;
  return <ForecastFrom source={source} />;
}

// The keys behind a bar are those of a database; items of a table are found in its own view.
function ForecastFrom({ source }: { source: Source }) {
  const ofTable = source.keyspace !== undefined;
  const [one, many] = ofTable ? ['item', 'items'] : ['key', 'keys'];
  const theme = useShownTheme();
  const [trail, setTrail] = useState<Window[]>([{ from: null, length: 60 * kMinute }]);
  const [measure, setMeasure] = useState('keys');
  const [round, setRound] = useState(0);
  const [chosen, setChosen] = useState<Span | null>(null);
  const window = trail[trail.length - 1];
  const counted = useSpans(source, window, serverNow, round);
  const bars = useMemo(
    () =>
      counted.spans.map((span) => ({
        begin: span.begin,
        end: span.end,
        value: measure === 'keys' ? span.keys : span.bytes,
      })),
    [counted.spans, measure],
  );

  useEffect(() => {
    if (!counted.complete || counted.keys > kFollowedMax) return undefined;
    const timer = setTimeout(() => !document.hidden && setRound(round + 1), Math.min(counted.step, kFollowEveryMax));
    return () => clearTimeout(timer);
  }, [counted.complete, counted.spans]);

  const zoom = (from: number, to: number) => {
    const wide = Math.max(kWindowMin, to - from);
    setTrail([...trail, { from: Math.floor(from), length: wide }]);
  };
  const take = (bar: { begin: number }) => {
    if (!ofTable) setChosen(counted.spans.find((span) => span.begin === bar.begin) ?? null);
  };
  const sum = counted.spans.reduce((all, span) => all + span.bytes, 0);
  const last = counted.spans.at(-1);
  return (
    <>
      <Panel
        title="Deaths to come"
        wide
        actions={
          <>
            {kWindows.map(([title, wide]) => (
              <button
                type="button"
                key={title}
                aria-pressed={window.from === null && window.length === wide}
                onClick={() => {
                  setTrail([{ from: null, length: wide }]);
                  setChosen(null);
                }}
              >
                {title}
              </button>
            ))}
            <button type="button" disabled={trail.length < 2} onClick={() => setTrail(trail.slice(0, -1))}>
              Zoom out
            </button>
            <button type="button" onClick={() => setRound(round + 1)}>
              Count again
            </button>
          </>
        }
      >
        <div class="form small">
          <Choice
            label="Shown"
            value={measure}
            set={setMeasure}
            options={[
              ['keys', ofTable ? 'Items' : 'Keys'],
              ['bytes', 'Bytes'],
            ]}
          />
          <p class="hint grow" aria-live="polite">
            {plural(counted.keys, one, many)} with {size(sum)} from {instant(Math.round(counted.from))} on for{' '}
            {length(window.length)}, {length(counted.step)} a bar.
            {!counted.complete &&
              !counted.fault &&
              (counted.paused && last
                ? ` Counted up to ${instant(last.begin)}; what dies later is not counted yet.`
                : ' Counting …')}
          </p>
          {counted.paused && (
            <button type="button" onClick={counted.goOn}>
              Count on
            </button>
          )}
        </div>
        <Fault words={counted.fault} />
        <Bars
          bars={bars}
          from={counted.from}
          to={counted.to}
          theme={theme}
          words={measure === 'keys' ? keysWords : bytesWords}
          marks={measure === 'keys' ? kKeysMarks : kBytesMarks}
          label={`Bars: ${measure === 'keys' ? many : measure} that die within ${length(window.length)}. The table of spans has the same figures.`}
          take={take}
          zoom={zoom}
        />
        <p class="hint">Drag over the chart to zoom{!ofTable && ', click a bar to see its keys'}. Times are UTC.</p>
        <details>
          <summary>Spans as a table</summary>
          {bars.length === 0 ? (
            <Nothing>Nothing dies in this window.</Nothing>
          ) : (
            <Rows
              label="Spans"
              heads={['From', ofTable ? 'Items' : 'Keys', 'Bytes', <span class="unseen">Actions</span>]}
            >
              {counted.spans.map((span) => (
                <tr key={span.begin}>
                  <th scope="row">
                    <time>{instant(span.begin)}</time>
                  </th>
                  <td class="number">{count(span.keys)}</td>
                  <td class="number">{size(span.bytes)}</td>
                  <td class="buttons">
                    {!ofTable && (
                      <button type="button" onClick={() => setChosen(span)}>
                        Keys<span class="unseen"> from {instant(span.begin)}</span>
                      </button>
                    )}
                    <button type="button" onClick={() => zoom(span.begin, span.end)}>
                      Zoom<span class="unseen"> to {instant(span.begin)}</span>
                    </button>
                  </td>
                </tr>
              ))}
            </Rows>
          )}
        </details>
      </Panel>
      {chosen && (
        <DyingKeys db={source.db} span={chosen} key={`${chosen.begin} ${chosen.end}`} close={() => setChosen(null)} />
      )}
    </>
  );
}
