import t from 'tap'
import { isReasoningModel } from '../src/reasoning-models.js'

t.test('knows the families that reason first', async (t) => {
  for (const model of [
    'o1', 'o1-preview', 'o3', 'o3-mini', 'o4-mini', 'gpt-5', 'gpt-5-mini', 'gpt-5.2', 'gpt-5.2-codex', 'gpt-oss-120b',
    'gpt-oss:20b', 'deepseek-reasoner', 'deepseek-r1', 'deepseek-r1:14b', 'deepseek-r1-distill-llama-70b',
    'deepseek-ai/DeepSeek-R1', 'accounts/fireworks/models/deepseek-r1-0528', 'deepseek/deepseek-r1', 'qwq-32b',
    'qwq:32b', 'Qwen/QwQ-32B', 'qvq-72b-preview', 'grok-3-mini', 'grok-3-mini-fast', 'grok-4', 'grok-4-0709',
    'grok-4-fast-reasoning', 'grok-4.20-reasoning', 'grok-code-fast-1', 'magistral-medium-latest', 'gemini-2.5-pro',
    'google/gemini-2.5-flash', 'gemini-3-pro-preview', 'sonar-reasoning-pro', 'sonar-deep-research',
    'qwen3-235b-a22b-thinking-2507', 'kimi-k2-thinking', 'claude-3.7-sonnet:thinking', 'claude-opus-5', 'claude-sonnet-5-5', 'claude-haiku-5-5-20261001', 'anthropic/claude-opus-5.5',
    'us.anthropic.claude-sonnet-5-v1:0', 'claude-opus-5@20260701', 'claude-mythos-preview', 'claude-fable-5-1', 'claude-opus-10',
    'openai.gpt-oss-120b-1:0', 'us.deepseek.r1-v1:0', 'mistral.magistral-small-2509',
  ]) t.ok(isReasoningModel(model), model)
})

t.test('takes no other model for one', async (t) => {
  for (const model of [
    'gpt-4o', 'gpt-4o-mini', 'gpt-4.1', 'gpt-5-chat-latest', 'gpt-5.2-chat-latest', 'gpt-50', 'deepseek-chat',
    'grok-3', 'grok-2', 'grok-4-fast-non-reasoning', 'grok-4.20-non-reasoning', 'mistral-large-latest',
    'llama-3.3-70b-versatile', 'claude-sonnet-4-5', 'claude-opus-4-8', 'claude-3-5-haiku-20241022', 'claude-opus-4-20250514', 'anthropic.claude-opus-4-6-v1', 'gemini-2.0-flash', 'gemini-2.5-flash-lite', 'sonar-pro',
    'amazon.nova-pro-v1:0', 'mistral.mistral-large-2407-v1:0', 'us.meta.llama3-3-70b-instruct-v1:0',
    'qwen-max', 'o10', 'olmo-2', 'command-r', '*', '', 'o1/x',
  ]) t.notOk(isReasoningModel(model), model)
})
