import type { PriceHints } from '@understudy/config'
import type { ChatRequest, Order, OrderProblem } from '@understudy/core'

import type { Warn } from './warnings.js'

/** What an order goes by that the host says, and what the host is told when that does not work. */
export interface OrderHost {
  /** Prices of one request; none where the order does not ask for them. */
  readonly pricesOf: (request: ChatRequest, order: Order) => Readonly<Record<string, number>> | undefined
  readonly onProblem: (problem: OrderProblem) => void
}

const MESSAGES = {
  no_prices: "order 'cost' knows no price of any leg, and goes by health: give the legs a `price`, or the options `priceHints`",
  order_failed: 'the order of a route threw or gave no list, and the legs are tried as configured',
} as const satisfies Record<OrderProblem, string>

/** Each trouble is warned of once. */
export function createOrderHost(hints: PriceHints | undefined, warn: Warn): OrderHost {
  const warned = new Set<string>()

  return {
    pricesOf(request, order) {
      if (hints === undefined || (order !== 'cost' && typeof order !== 'function')) return undefined
      try {
        const prices: unknown = hints(request)
        // Copied: what a member throws when it is read is thrown here.
        if (isRecord(prices)) return { ...prices }
      } catch {
        // The same as no answer: an order must not fail a request.
      }
      once('UNDERSTUDY_PRICE_HINTS', 'priceHints threw, or gave no object that can be read, and counts as not there')
      return undefined
    },
    onProblem: (problem) => once('UNDERSTUDY_ORDER', MESSAGES[problem]),
  }

  function once(code: string, message: string): void {
    if (warned.has(message)) return
    warned.add(message)
    warn(code, message)
  }
}

/** What is no number in it is taken for unknown where it is read. */
function isRecord(value: unknown): value is Readonly<Record<string, number>> {
  return typeof value === 'object' && value !== null && !(value instanceof Promise)
}
