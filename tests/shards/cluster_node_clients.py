# Runs one file of node tests against a cluster whose shards move all the time.
#   cluster_node_clients.py FOLDER FILE BINARY    FOLDER: where the packages of tests/clients are
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "clients")]
from cluster_process import ClusterProcess
from node_clients import install


def main():
    folder, file, binary = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    install(folder)
    shutil.copy(HERE / file, folder)
    with ClusterProcess(binary) as cluster:
        cluster.keep_moving()
        code = subprocess.run(["node", "--test", file], cwd=folder, timeout=300,
                              env={**os.environ,
                                   "MAYFLY_PORTS": ",".join(map(str, cluster.ports))}).returncode
        cluster.rest()
        print(f"{cluster.moves} moves")
        if cluster.moves == 0:
            code = code or 1
    sys.exit(code)


if __name__ == "__main__":
    main()
