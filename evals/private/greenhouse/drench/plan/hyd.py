import math

from ..units import bisect_root

G = 9.81

def hw_loss_m(lpm, bore_mm, run_m, c=145.0):
    if lpm <= 0:
        return 0.0
    q = lpm / 60000.0
    d = bore_mm / 1000.0
    return 10.67 * run_m * q ** 1.852 / (c ** 1.852 * d ** 4.871)

def christiansen(n, m=1.852):
    if n <= 1:
        return 1.0
    return 1 / (m + 1) + 1 / (2 * n) + math.sqrt(m - 1) / (6 * n * n)

def lateral_drop(line, outlets=30):
    return hw_loss_m(line.lpm, line.bore_mm, line.run_m) * christiansen(outlets)

def need_head(line, emit_m=10.0, filt_m=5.0):
    return line.lift_m + emit_m + filt_m + lateral_drop(line)

def duty_point(card, lines, wear=1.0):
    if not lines:
        return 0.0, card.h0_m * wear
    q0 = sum(l.lpm for l in lines)
    stat = max(l.lift_m for l in lines) + 15.0
    dyn = max(lateral_drop(l) for l in lines) + 0.0004 * q0 * q0 * 0.3
    k = dyn / (q0 * q0) if q0 else 0.0

    def gap(q):
        return card.h0_m * wear - card.k2 * q * q - stat - k * q * q

    if gap(0.0) <= 0:
        return 0.0, card.h0_m * wear
    q = bisect_root(gap, 0.0, 4 * card.q_bep, 1e-3)
    return q, card.h0_m * wear - card.k2 * q * q

def can_join(card, lines, wear=1.0, slack=0.97):
    want = sum(l.lpm for l in lines)
    if want > 1.35 * card.q_bep:
        return False
    q, _ = duty_point(card, lines, wear)
    if q < slack * want:
        return False
    left = card.h0_m * wear - card.k2 * want * want
    return all(left >= need_head(l) for l in lines)

def eta(card, lpm, top=0.68):
    x = lpm / card.q_bep
    return max(0.05, top * (1.0 - (x - 1.0) ** 2)) if x < 2 else 0.05

def shaft_kw(card, lpm, head_m):
    if lpm <= 0:
        return 0.0
    return min(card.kw * 1.15, G * lpm / 60000.0 * head_m / eta(card, lpm))
