/** Groups whose cases are played. Of G09 only what needs no breaker. */
export const playedGroups: readonly string[] = [
  'G01', 'G02', 'G03', 'G04', 'G05', 'G06', 'G07', 'G08', 'G09', 'G10', 'G11', 'G12', 'G13',
]

const dialect = 'speaks another dialect; later'
const breaker = 'needs a breaker that can be open; later'
const reload = 'needs live chains; later'

/** Cases that are not played, and why. */
export const leftOut: Readonly<Record<string, string>> = {
  B031: dialect,
  B034: dialect,
  B036: dialect,
  B038: dialect,
  B040: dialect,
  B059: dialect,
  B092: dialect,
  B115: breaker,
  B118: breaker,
  B119: breaker,
  B124: breaker,
  B126: breaker,
  B148: dialect,
  B150: dialect,
  B157: reload,
  B158: reload,
  B161: reload,
  B163: reload,
  B164: reload,
}

/** Parts of played cases that are not asserted yet, and why. */
export const waiting: Readonly<Record<string, string>> = {
  B010: 'that A rests for two seconds needs the cooldown; later',
  B012: 'that A is asked again after 250 ms needs the cooldown; later',
  B014: 'that the breaker stays closed is asserted as the verdict, and that the next request goes to A',
  B121: 'that the breaker stays closed is asserted as the verdict, and that the next request goes to A',
  B123: 'that the fourth request skips A needs the breaker; later',
  B125: 'that B stays closed is asserted as the verdict',
  B128: 'that the breaker stays closed is asserted as the verdict, and that the next request goes to A',
  B155: 'the open breaker and the watched file; later',
}
