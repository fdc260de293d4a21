/** What a path of the Gemini API says of a request. */
export interface ContentPath {
  /** Decoded; may hold slashes. */
  readonly model: string
  readonly stream: boolean
}

/** What stands in front of the model. */
export const MODELS_PATH = '/v1beta/models/'

const METHOD = /^(.+):(generateContent|streamGenerateContent)\/?$/

/** Reads a path relative to the mount, undecoded; `undefined` if it asks for no content. https://ai.google.dev/api/generate-content */
export function readContentPath(path: string): ContentPath | undefined {
  const [, model, method] = path.startsWith(MODELS_PATH) ? (METHOD.exec(path.slice(MODELS_PATH.length)) ?? []) : []
  return model === undefined ? undefined : { model: decoded(model), stream: method === 'streamGenerateContent' }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
