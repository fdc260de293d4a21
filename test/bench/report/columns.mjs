/**
 * The table's columns. `digits` of the figure; `to` and `than` = what stands in brackets: the ratio to `raw` of the same
 * round, or what a token took beyond the upstream and the client alone.
 */
export const columns = [
  { figure: 'json1k', title: 'JSON 1 KB, us', digits: 0, ratio: true },
  { figure: 'json64k', title: 'JSON 64 KB, us', digits: 0, ratio: true },
  { figure: 'firstLeg500', title: 'first leg 500, us', digits: 0, ratio: true, than: 'json1k' },
  { figure: 'burst', title: 'burst, us/event', digits: 1, ratio: true },
  { figure: 'dense', title: 'dense, us/event', digits: 0, ratio: true },
  { figure: 'json1kPerSecond', title: 'requests/s', digits: 0 },
  { figure: 'firstLeg500PerSecond', title: 'first leg 500, requests/s', digits: 0 },
  { figure: 'tokenP50', title: 'added to first token p50, ms', digits: 2, direct: 'tokenP50' },
  { figure: 'tokenP99', title: 'p99, ms', digits: 2, direct: 'tokenP50' },
  { figure: 'failoverP50', title: 'failed leg adds p50, ms', digits: 2, itself: 'tokenP50' },
  { figure: 'memory1000', title: 'KB a stream at 1 000', digits: 0, ratio: true },
  { figure: 'memory5000', title: 'KB a stream at 5 000', digits: 0, ratio: true },
]
