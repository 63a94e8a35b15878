import math
from dataclasses import dataclass

from ..model import BadInput
from ..units import clamp

STOCK = {
    "A": {"ca": 4.0, "no3": 8.6, "k": 0.6, "fe": 0.03},
    "B": {"k": 5.5, "so4": 2.1, "po4": 1.5, "mg": 1.6, "no3": 1.2},
}
EC_PER_MMOL = {"ca": 0.104, "no3": 0.071, "k": 0.073, "so4": 0.138, "po4": 0.036, "mg": 0.094, "na": 0.05, "cl": 0.076, "hco3": 0.0445, "fe": 0.05}

def leach_need(ec_w, ec_limit, slope=None):
    if ec_w <= 0:
        return 0.0
    den = 5.0 * ec_limit - ec_w
    if den <= 0:
        return 0.6
    return clamp(ec_w / den, 0.0, 0.6)

@dataclass
class Root:
    mm: float
    ec: float
    na: float = 0.5

    def step(self, feed_mm, feed_ec, uptake_mm, drain_mm, feed_na=0.5, nutr_share=0.72):
        salt = self.mm * self.ec + feed_mm * feed_ec - uptake_mm * feed_ec * nutr_share
        na = self.mm * self.na + feed_mm * feed_na - uptake_mm * 0.15 * self.na
        full = self.mm + feed_mm - uptake_mm
        if full <= 0.1:
            self.mm, self.ec = 0.1, 15.0
            return self
        c = max(0.0, salt) / full
        n = max(0.0, na) / full
        self.mm = max(0.1, full - drain_mm)
        self.ec = min(c, 15.0)
        self.na = n
        return self

def flush_plan(root_ec, target, slab_mm, feed_ec, eff=0.75):
    if root_ec <= target:
        return 0.0
    if feed_ec >= target:
        raise BadInput("feed is too salty to wash with", feed=feed_ec, target=target)
    pores = -math.log((target - feed_ec) / (root_ec - feed_ec))
    return slab_mm * pores / eff

def recipe(flow_lpm, ec_raw, ec_want, ratio_max=0.015, strength=100.0):
    lift = max(0.0, ec_want - ec_raw)
    both = sum(EC_PER_MMOL[i] * c for ions in STOCK.values() for i, c in ions.items())
    dilution = lift / (both * strength)
    capped = min(dilution, ratio_max)
    reach = ec_raw + capped * strength * both
    return {
        "a_ml_min": round(capped * flow_lpm * 1000.0, 1),
        "b_ml_min": round(capped * flow_lpm * 1000.0, 1),
        "ec": round(reach, 2),
        "short": capped < dilution - 1e-9,
    }

def feed_ec_for(crop, ghi_sum_j, root_ec):
    bright = clamp((ghi_sum_j - 600.0) / 1600.0, -0.3, 1.0)
    want = crop.ec_feed * (1.0 - 0.18 * bright)
    if not math.isnan(root_ec):
        want -= 0.25 * clamp(root_ec - crop.ec_feed * 1.25, -0.8, 2.0)
    return round(clamp(want, 0.6 * crop.ec_feed, 1.25 * crop.ec_feed), 2)
