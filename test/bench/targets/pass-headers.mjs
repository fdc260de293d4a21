/** What a plain host sends on: the body's type and length, and its own key. */
export const passedOn = (headers) => ({
  'content-type': headers['content-type'],
  'content-length': headers['content-length'],
  authorization: 'Bearer sk-host',
})
