import type { Dialect } from '@understudy/core'
import type { CloudName } from './cloud.js'
import type { ProviderInput } from './provider-input.js'

/** The dialects that each cloud serves. */
const SERVED: Readonly<Record<CloudName, readonly Dialect[]>> = {
  bedrock: ['bedrock', 'anthropic'],
  vertex: ['gemini', 'anthropic'],
}

/** Members that only one cloud knows. */
const OF_CLOUD = {
  region: 'bedrock',
  credentials: 'bedrock',
  project: 'vertex',
  location: 'vertex',
} as const satisfies Partial<Record<keyof ProviderInput, CloudName>>

/** What does not go together with the cloud that a provider is asked at: member and message. */
export function cloudComplaints(
  input: ProviderInput,
  dialect: Dialect | undefined,
  cloud: CloudName | undefined,
): readonly (readonly [member: string, message: string])[] {
  const complaints: [string, string][] = []
  if (cloud !== undefined && dialect !== undefined && !SERVED[cloud].includes(dialect)) {
    complaints.push(['cloud', `'${cloud}' does not serve the dialect '${dialect}'; it serves ${SERVED[cloud].join(' and ')}`])
  }
  for (const [member, owner] of Object.entries(OF_CLOUD)) {
    if (owner === cloud || !isGiven(input, member)) continue
    complaints.push([member, `is of providers with cloud '${owner}', which this one has not`])
  }
  if (cloud === 'bedrock' && input.apiKey !== undefined && input.credentials !== undefined) {
    complaints.push(['credentials', 'would not be used: apiKey says who asks; leave one of the two out'])
  }
  return complaints
}

function isGiven(input: ProviderInput, member: string): boolean {
  return Object.entries(input).some(([name, value]) => name === member && value !== undefined)
}
