const MASK = '***'

// How much is looked at: bounds the time that a hostile body can cost.
const MAX_READ_LENGTH = 16 * 1024

const BEARER = /\b(bearer|basic)\s+[\w.~+/=:-]+/gi
const NAMED = new RegExp(
  '((?:(?:api|access)[-_ ]?key|[?&]key|token|secret|password|authorization)["\']?\\s*[=:]\\s*["\']?)' +
    '(?!bearer|basic)[^\\s"\'&,;}]+',
  'gi',
)
const PREFIXED = /\b(sk|pk|rk|gsk|xai|hf|r8|ghp|pplx|nvapi|csk|fw|key)[-_][\w*.-]{6,}/gi
const VENDOR = /\b(?:AIza|AKIA|ASIA|ya29\.|eyJ)[\w.-]{8,}/g
const RUN = /[A-Za-z0-9_+=-]{24,}/g

/** The text with everything that looks like a credential replaced by `***`. Rather too much than too little. */
export function maskCredentials(text: string): string {
  return text
    .slice(0, MAX_READ_LENGTH)
    .replace(BEARER, `$1 ${MASK}`)
    .replace(NAMED, `$1${MASK}`)
    .replace(PREFIXED, MASK)
    .replace(VENDOR, MASK)
    .replace(RUN, (run) => (looksRandom(run) ? MASK : run))
}

/**
 * Model names and request ids have short segments and one case; keys have a long segment or mix three kinds of
 * characters.
 */
function looksRandom(run: string): boolean {
  if (!/\d/.test(run) || !/[A-Za-z]/.test(run)) return false
  if (/[A-Za-z0-9]{24,}/.test(run)) return true
  return run.length >= 32 && /[a-z]/.test(run) && /[A-Z]/.test(run)
}
