import type { Check } from '../exchange.ts'
import { filterOf } from '../tool-filter.ts'

/** Which tools exist for this request; an unknown name is refused, because a filter that cuts nothing would mislead. */
export function readFilters(toolsets: ReadonlySet<string>): Check {
  return (exchange) => {
    exchange.filter = filterOf(exchange.request, toolsets)
  }
}
