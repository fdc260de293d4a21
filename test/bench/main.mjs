// npm run bench [-- --quick] [-- --only raw,express] [-- --scale] [-- --features] [-- --dialects] [-- --profile <target> <scenario> <file>]
import { readArguments } from './arguments.mjs'
import { measureAll } from './measure-all.mjs'
import { measureVariants } from './measure-variants.mjs'
import { plans } from './plan.mjs'
import { installPeers } from './peers/install.mjs'
import { choosePinning } from './process/pinning.mjs'
import { profileOne } from './profile.mjs'
import { writeReport, writeVariants } from './report/write-report.mjs'
import { chooseTargets } from './targets.mjs'

const { quick, only, profile, scale, features, dialects, save } = readArguments(process.argv.slice(2))
const plan = quick ? plans.quick : plans.full
const pinning = choosePinning()

if (profile) {
  await profileOne({ ...profile, plan, pinning })
} else if (scale || features || dialects) {
  if (dialects) installPeers()
  writeVariants({ ...(await measureVariants({ plan, pinning, scale, features, dialects })), plan, pinning, quick })
} else {
  const chosen = chooseTargets(only, quick)
  if (chosen.some(({ peer }) => peer)) installPeers()
  const from = performance.now()
  const { figures, outcomes, broken } = await measureAll({ plan, pinning, targets: chosen })
  writeReport({ figures, outcomes, broken, plan, pinning, targets: chosen, quick, save, seconds: (performance.now() - from) / 1000 })
  if (broken.length > 0) process.exitCode = 1
}
