"""PostgreSQL servers that a drill may kill or cut off, unlike the shared one that `scripts/with-postgres` starts."""

import os
import pwd
import shutil
import subprocess

from drill import skip


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
