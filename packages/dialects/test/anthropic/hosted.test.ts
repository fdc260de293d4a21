import t from 'tap'
import { anthropic, anthropicOnBedrock, anthropicOnVertex, isUntranslatableRequestError, openai } from '@understudy/dialects'

const MODEL = 'claude-sonnet-4-5@20250929'
const REQUEST = openai.decodeRequest({ stream: true, max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] })

t.test('the body says the host\'s version, and neither the model nor what else the path says', async (t) => {
  const said = { max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] }
  t.strictSame(anthropicOnVertex.encodeRequest(REQUEST, MODEL), { ...said, anthropic_version: 'vertex-2023-10-16', stream: true })
  t.strictSame(anthropicOnVertex.encodeRequest({ ...REQUEST, stream: false }, MODEL), { ...said, anthropic_version: 'vertex-2023-10-16' })
  t.strictSame(anthropicOnBedrock.encodeRequest(REQUEST, MODEL), { ...said, anthropic_version: 'bedrock-2023-05-31' })
  t.strictSame([anthropicOnVertex.name, anthropicOnBedrock.name, anthropicOnVertex.modelInPath], ['anthropic', 'anthropic', true])
})

t.test('what a client of the same dialect tries out is said in the body at Bedrock only', async (t) => {
  const passed = { 'anthropic-beta': 'a-1, b-2', 'anthropic-version': 'x' }
  t.strictSame(anthropicOnBedrock.ownMembers?.(true, passed), { anthropic_version: 'bedrock-2023-05-31', anthropic_beta: ['a-1', 'b-2'] })
  t.strictSame(anthropicOnVertex.ownMembers?.(false, passed), { anthropic_version: 'vertex-2023-10-16' })
})

t.test('no host fetches anything', async (t) => {
  const asking = openai.decodeRequest({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://host/x.png' } }] }] })
  t.equal(typeof anthropic.encodeRequest(asking, MODEL), 'object', 'the vendor itself does')
  for (const codec of [anthropicOnBedrock, anthropicOnVertex]) {
    try {
      codec.encodeRequest(asking, MODEL)
      t.fail('it was said')
    } catch (error) {
      t.equal(isUntranslatableRequestError(error) && error.feature, 'image-url')
    }
  }
})

t.test('failures are read as the host writes them', async (t) => {
  const aws = { 'x-amzn-errortype': 'ThrottlingException:' }
  t.equal(anthropicOnBedrock.decodeFailure({ status: 400, headers: aws, body: '{"message":"x"}', now: 0 }).kind, 'rate_limit')
  const google = '[{"error":{"code":429,"message":"Quota exceeded","status":"RESOURCE_EXHAUSTED"}}]'
  t.equal(anthropicOnVertex.decodeFailure({ status: 429, headers: {}, body: google, now: 0 }).kind, 'rate_limit')
  t.equal(anthropicOnVertex.decodeFailure({ status: 403, headers: {}, body: '{"error":{"status":"PERMISSION_DENIED"}}', now: 0 }).kind, 'auth_error')
})
