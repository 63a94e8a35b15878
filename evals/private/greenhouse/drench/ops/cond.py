import math
import re

from ..model import BadConf

_TOK = re.compile(r"\s*(?:(\d+(?:\.\d+)?)|([A-Za-z_][A-Za-z_0-9.]*)|(<=|>=|==|!=|[-+*/<>(),]))")
_FUN = {"abs": abs, "min": min, "max": max, "sqrt": lambda x: math.sqrt(max(0.0, x))}
_PREC = {"or": 1, "and": 2, "<": 4, "<=": 4, ">": 4, ">=": 4, "==": 4, "!=": 4, "+": 5, "-": 5, "*": 6, "/": 6}

def lex(src):
    out = []
    p = 0
    src = src.rstrip()
    while p < len(src):
        hit = _TOK.match(src, p)
        if not hit or hit.end() == p:
            raise BadConf("alarm condition has a stray character", at=p, src=src)
        num, name, op = hit.groups()
        if num is not None:
            out.append(("n", float(num)))
        elif name is not None:
            low = name.lower()
            out.append(("o", low) if low in ("and", "or", "not") else ("v", name))
        else:
            out.append(("o", op))
        p = hit.end()
    out.append(("e", None))
    return out

class _P:
    def __init__(self, src):
        self.src = src
        self.t = lex(src)
        self.i = 0

    def peek(self):
        return self.t[self.i]

    def take(self, op=None):
        k = self.t[self.i]
        if op is not None and k != ("o", op):
            raise BadConf("alarm condition: expected " + op, src=self.src, got=k[1])
        self.i += 1
        return k

    def expr(self, floor=0):
        left = self.atom()
        while True:
            kind, op = self.peek()
            if kind != "o" or op not in _PREC or _PREC[op] < floor or op in (",", ")"):
                return left
            self.take()
            right = self.expr(_PREC[op] + 1)
            left = (op, left, right)

    def atom(self):
        kind, v = self.take()
        if kind == "n":
            return ("num", v)
        if kind == "o" and v == "(":
            e = self.expr()
            self.take(")")
            return e
        if kind == "o" and v == "not":
            return ("not", self.expr(3))
        if kind == "o" and v == "-":
            return ("neg", self.expr(7))
        if kind == "v":
            if self.peek() == ("o", "("):
                if v not in _FUN:
                    raise BadConf("alarm condition calls an unknown function", name=v)
                self.take()
                args = []
                if self.peek() != ("o", ")"):
                    args.append(self.expr())
                    while self.peek() == ("o", ","):
                        self.take()
                        args.append(self.expr())
                self.take(")")
                return ("call", v, args)
            return ("var", v)
        raise BadConf("alarm condition ends early or is malformed", src=self.src)

def parse(src):
    p = _P(src)
    e = p.expr()
    if p.peek()[0] != "e":
        raise BadConf("alarm condition has leftovers", src=src, at=p.i)
    return e

def names(e):
    if e[0] == "var":
        return {e[1]}
    if e[0] == "num":
        return set()
    if e[0] == "call":
        return set().union(*[names(a) for a in e[2]]) if e[2] else set()
    return set().union(*[names(x) for x in e[1:]])

def run(e, env):
    k = e[0]
    if k == "num":
        return e[1]
    if k == "var":
        v = env.get(e[1])
        return math.nan if v is None else v
    if k == "call":
        return _FUN[e[1]](*[run(a, env) for a in e[2]])
    if k == "not":
        v = run(e[1], env)
        return None if v is None else not v
    if k == "neg":
        return -run(e[1], env)
    if k in ("and", "or"):
        a, b = run(e[1], env), run(e[2], env)
        stop = k == "or"
        for x in (a, b):
            if x is not None and bool(x) == stop:
                return stop
        return None if a is None or b is None else not stop
    a, b = run(e[1], env), run(e[2], env)
    if a is None or b is None:
        return None
    if k in ("+", "-", "*", "/"):
        if k == "/":
            return a / b if b else math.nan
        return a + b if k == "+" else a - b if k == "-" else a * b
    if math.isnan(a) or math.isnan(b):
        return None
    return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "==": a == b, "!=": a != b}[k]
