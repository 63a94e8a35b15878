from ..units import clamp

KPA_PER_CM = 0.0980665

def theta(sub, h_cm):
    if h_cm <= 0:
        return sub.th_s
    return sub.th_r + (sub.th_s - sub.th_r) * (1.0 + (sub.alpha * h_cm) ** sub.n) ** -sub.m

def k_unsat(sub, th, ell=0.5):
    se = clamp((th - sub.th_r) / (sub.th_s - sub.th_r), 0.0, 1.0)
    if se <= 0:
        return 0.0
    inner = 1.0 - (1.0 - se ** (1.0 / sub.m)) ** sub.m
    return sub.ksat_mm_h * se ** ell * inner * inner

def container_capacity(sub, depth_mm, steps=20):
    acc = 0.0
    for i in range(steps):
        z_cm = (i + 0.5) / steps * depth_mm / 10.0
        acc += theta(sub, z_cm)
    return acc / steps

def wilt(sub, kpa=300.0):
    return theta(sub, kpa / KPA_PER_CM)

def refill_point(sub, depth_mm, dryback):
    cc = container_capacity(sub, depth_mm)
    return max(cc * (1.0 - dryback), wilt(sub) + 0.02)

def stress(sub, th, depth_mm, p=0.45):
    cc = container_capacity(sub, depth_mm)
    wp = wilt(sub)
    if th >= cc:
        over = (th - cc) / max(1e-6, sub.th_s - cc)
        return clamp(1.0 - 0.3 * over * over, 0.7, 1.0)
    taw = max(1e-6, cc - wp)
    dep = (cc - th) / taw
    if dep <= p:
        return 1.0
    return clamp((1.0 - dep) / (1.0 - p), 0.0, 1.0)
