#!/usr/bin/env python3
"""QuantLib on one CPU core: Monte Carlo engine of arithmetic Asian options with pseudo-random numbers, in double."""
import sys

import QuantLib as ql

import common


def instrument(today):
    day_count = ql.Actual365Fixed()
    dates = [today + round(365 * (i + 1) / common.STEPS) for i in range(common.STEPS)]
    process = ql.BlackScholesMertonProcess(
        ql.QuoteHandle(ql.SimpleQuote(common.SPOT)),
        ql.YieldTermStructureHandle(ql.FlatForward(today, common.DIVIDEND_YIELD, day_count)),
        ql.YieldTermStructureHandle(ql.FlatForward(today, common.RATE, day_count)),
        ql.BlackVolTermStructureHandle(ql.BlackConstantVol(today, ql.NullCalendar(), common.VOLATILITY, day_count)))
    payoff = ql.PlainVanillaPayoff(ql.Option.Call, common.STRIKE)
    option = ql.DiscreteAveragingAsianOption(ql.Average.Arithmetic, 0.0, 0, dates, payoff, ql.EuropeanExercise(dates[-1]))
    return option, process


def asian_case(arguments):
    paths = arguments.paths or (1000 if arguments.quick else 20000)
    today = ql.Date(1, 1, 2025)
    ql.Settings.instance().evaluationDate = today
    option, process = instrument(today)

    def price():
        option.setPricingEngine(ql.MCDiscreteArithmeticAPEngine(
            process, "pseudorandom", brownianBridge=False, antitheticVariate=False, controlVariate=False,
            requiredSamples=paths, seed=42))
        return option.NPV()

    timing = common.timed(price, arguments.seconds)
    return common.asian_row("one core", "double", paths, timing, option.NPV(), option.errorEstimate())


def main():
    return common.run(common.options(__doc__, ["cpu"]), "QuantLib", ql.__version__, [("Asian", asian_case)])


if __name__ == "__main__":
    sys.exit(main())
