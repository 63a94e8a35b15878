"""PostgreSQL servers that a drill may kill or cut off, unlike the shared one that `scripts/with-postgres` starts."""

import http.client
import json
import os
import pwd
import shutil
import subprocess
import threading

from drill import skip, write_code


def require():
    """Ends the drill if PostgreSQL's programs are missing."""
    if not shutil.which("pg_basebackup"):
        skip("PostgreSQL's programs are not in the PATH: see scripts/with-postgres")


class Cluster:
    """A PostgreSQL server; it runs as another user if the drill runs as root."""

    def __init__(self, folder, network=None):
        """`network`: the network namespace that it runs in."""
        self.folder, self.network = folder, network
        folder.mkdir(parents=True)
        self.data = folder / "data"
        self.user = next((user.pw_name for user in pwd.getpwall() if user.pw_name in ("pgserver", "postgres")), "nobody") if os.geteuid() == 0 else None
        if self.user:
            shutil.chown(folder, self.user)

    def run(self, *command):
        user = self.user
        if self.network:
            drop = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
            command, user = ["ip", "netns", "exec", self.network, *drop, *command], None
        done = subprocess.run([str(part) for part in command], user=user, cwd="/", capture_output=True, text=True)
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        return done.stdout

    def create(self):
        self.run("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "--no-sync")

    def admit(self, network):
        """Lets clients in from a network."""
        with open(self.data / "pg_hba.conf", "a") as file:
            file.write(f"host all all {network} trust\n")

    def copy(self, primary):
        self.run("pg_basebackup", "-D", self.data, "-h", primary.folder, "-U", "postgres", "-R", "-X", "stream", "-c", "fast")

    def start(self, addresses=""):
        settings = f"-c listen_addresses={addresses} -c unix_socket_directories={self.folder} -c fsync=off -c wal_level=replica"
        self.run("pg_ctl", "-D", self.data, "-w", "-o", settings, "-l", self.folder / "log", "start")

    def promote(self):
        self.run("pg_ctl", "-D", self.data, "-w", "promote")

    def kill(self):
        pid = int((self.data / "postmaster.pid").read_text().split()[0])
        os.kill(pid, 9)

    def stop(self):
        subprocess.run(["pg_ctl", "-D", str(self.data), "-m", "immediate", "stop"], user=self.user, cwd="/", capture_output=True)

    def sql(self, statement):
        return self.run("psql", "-h", self.folder, "-U", "postgres", "-d", "postgres", "-Atc", statement).strip()


class Site:
    """A project on a server of its own, the servers that answer from it, and what they should answer."""

    def __init__(self, drill, place, n_files, seed):
        self.drill, self.place = drill, place
        drill.home.chmod(0o755)
        self.tree = write_code(place / "source", n_files, seed=seed)
        place.chmod(0o755)
        self.data = place / "data"

    def open(self, address):
        """Puts the project into the database at `address`."""
        self.environment = {**self.drill.environment, "CRAIG_DB": address, "XDG_DATA_HOME": str(self.data)}
        self.key = json.loads(self.craig("gateway", "keys", "add", "everybody", "--format", "json").stdout)["key"]
        self.craig("ingest", self.tree, "--name", "source", "-q")

    def craig(self, *arguments):
        return subprocess.run([str(self.drill.program), *map(str, arguments)], env=self.environment, capture_output=True, timeout=300)

    def serve(self, **others):
        """The address of a new server, whose environment has `others`."""
        keys = str(self.data / "craig" / "gateway-keys.json")
        environment = {**self.environment, "CRAIG_GATEWAY_KEYS": keys, "CRAIG_GATEWAY_SEARCHES_PER_HOUR": "0", **others}
        process = self.drill.start("serve", "--address", "127.0.0.1:0", env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        started = json.loads(process.stderr.readline())
        threading.Thread(target=lambda: [None for _ in process.stderr], daemon=True).start()
        return started["address"]

    def ask(self, server, query):
        """Status and text of an answer."""
        connection = http.client.HTTPConnection(server, timeout=120)
        headers = {"content-type": "application/json", "authorization": f"Bearer {self.key}"}
        connection.request("POST", "/v1/search", json.dumps({"query": query, "project": "source", "per_file": 1}), headers)
        response = connection.getresponse()
        return response.status, response.read().decode()

    def compare(self, servers, queries, when):
        """Expects the servers to answer like a fresh database."""
        fresh = self.place / "fresh.db"
        self.craig("--db", fresh, "ingest", self.tree, "--name", "source", "-q")
        places = lambda hits: [(hit["path"], hit["line_start"], round(hit["score"], 4)) for hit in hits]
        for query in queries:
            answer = self.craig("--db", fresh, "search", query, "-p", "source", "--no-refresh", "--per-file", "1", "--format", "json")
            wanted = places(json.loads(answer.stdout)["hits"])
            for server in servers:
                status, answer = self.ask(server, query)
                found = places(json.loads(answer).get("results", [])) if status == 200 else answer
                self.drill.expect(found == wanted, f"{when}, {query!r} differs on {server}", (found, wanted))
