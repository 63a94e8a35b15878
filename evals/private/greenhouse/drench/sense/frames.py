import struct

from ..model import BadFrame, Obs

KIND = {1: "vwc", 2: "ec", 3: "temp", 4: "rh", 5: "par", 6: "flow", 7: "wt", 8: "press"}
SCALE = {1: 1.0, 2: 1e-3, 3: 1e-2, 4: 1e-2, 5: 1.0, 6: 1e-1, 7: 1.0, 8: 1e-1}
SIGNED = {3}
HDR = struct.Struct(">BBHIB")
Q_LOWBAT = 0x01
Q_LATE = 0x02

def crc16(buf, seed=0xFFFF):
    c = seed
    for b in buf:
        c ^= b << 8
        for _ in range(8):
            c = ((c << 1) ^ 0x1021) & 0xFFFF if c & 0x8000 else (c << 1) & 0xFFFF
    return c

def uncobs(buf):
    out = bytearray()
    i = 0
    n = len(buf)
    while i < n:
        k = buf[i]
        if k == 0:
            raise BadFrame("zero inside stuffed block", at=i)
        if i + k > n:
            raise BadFrame("stuffed block runs off the end", at=i)
        out += buf[i + 1:i + k]
        i += k
        if k < 0xFF and i < n:
            out.append(0)
    return bytes(out)

class Splitter:
    def __init__(self, cap=512):
        self.buf = bytearray()
        self.cap = cap
        self.lost = 0

    def push(self, chunk):
        got = []
        for b in chunk:
            if b == 0:
                if self.buf:
                    got.append(bytes(self.buf))
                    self.buf.clear()
                continue
            self.buf.append(b)
            if len(self.buf) > self.cap:
                self.lost += len(self.buf)
                self.buf.clear()
        return got

def unpack(body, names, t_rx=None):
    if len(body) < HDR.size + 2:
        raise BadFrame("short frame", n=len(body))
    want = struct.unpack(">H", body[-2:])[0]
    if crc16(body[:-2]) != want:
        raise BadFrame("checksum mismatch")
    ver, flags, node, t, cnt = HDR.unpack(body[:HDR.size])
    if ver != 2:
        raise BadFrame("frame version not understood", ver=ver)
    q = Q_LOWBAT if flags & 0x80 else 0
    if t_rx is not None and t_rx - t > 900:
        q |= Q_LATE
    out = []
    p = HDR.size
    for _ in range(cnt):
        if p + 4 > len(body) - 2:
            raise BadFrame("fewer channels than announced", node=node)
        ch, kd, raw = struct.unpack(">BBH", body[p:p + 4])
        p += 4
        if kd in SIGNED and raw & 0x8000:
            raw -= 0x10000
        pid = names.get((node, ch))
        if pid is None or kd not in KIND:
            continue
        out.append(Obs(pid, KIND[kd], t, raw * SCALE[kd], q))
    return out

class SeqGuard:
    def __init__(self, depth=64):
        self.depth = depth
        self.seen = {}

    def fresh(self, obs):
        ring = self.seen.setdefault(obs.probe, [])
        key = (obs.kind, obs.t)
        if key in ring:
            return False
        ring.append(key)
        if len(ring) > self.depth:
            del ring[:len(ring) - self.depth]
        return True

def drain(chunk, splitter, names, guard, t_rx=None):
    good, bad = [], []
    for blk in splitter.push(chunk):
        try:
            got = unpack(uncobs(blk), names, t_rx)
        except BadFrame as e:
            bad.append(e)
            continue
        good.extend(o for o in got if guard.fresh(o))
    return good, bad
