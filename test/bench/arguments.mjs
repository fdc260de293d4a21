import { parseArgs } from 'node:util'

/**
 * What the command line asks for. `save`: whether the results are kept beside the code, which only a full run of all targets
 * does by itself.
 */
export function readArguments(argv) {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      scale: { type: 'boolean', default: false },
      features: { type: 'boolean', default: false },
      dialects: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
    },
  })
  const { quick, scale, features, dialects } = values
  const only = values.only?.split(',')
  if (!values.profile) return { quick, only, scale, features, dialects, save: !quick && only === undefined }

  const [target, scenario, file] = positionals
  if (file === undefined) throw new Error('--profile needs a target, a scenario and a file: --profile express burst ../express.cpuprofile')
  return { quick, profile: { target, scenario, file } }
}
