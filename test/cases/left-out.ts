/** Groups whose cases are played. */
export const playedGroups: readonly string[] = [
  'G01', 'G02', 'G03', 'G04', 'G05', 'G06', 'G07', 'G08', 'G09', 'G10', 'G11', 'G12', 'G13', 'G14',
]


/** Cases that are not played, and why. */
export const leftOut: Readonly<Record<string, string>> = {
}

/** Parts of played cases that are not asserted yet, and why. */
export const waiting: Readonly<Record<string, string>> = {
}
