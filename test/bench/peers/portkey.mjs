// @portkey-ai/gateway: its own server, started in this process, so that what it spends can be read here. Its Node adapter is held
// at a version that it works with: with 1.19 every stream is a 500, since it hands over a header set that cannot be changed.
import { Server } from 'node:http'
import { backup, limitMs, primary, serve } from '../targets/serve.mjs'

const leg = (name, url) => ({
  provider: 'openai',
  api_key: `sk-${name}`,
  custom_host: url,
  override_params: { model: 'gpt-4o-mini' },
  ...(limitMs === undefined ? {} : { request_timeout: limitMs }),
})
const config = JSON.stringify({ strategy: { mode: 'fallback' }, targets: [leg('primary', primary), leg('backup', backup)] })

// It takes its config from a header of the request. The bench sends all targets the same bytes, so the header comes in here.
const listen = Server.prototype.listen
Server.prototype.listen = function listenOnLoopback() {
  this.keepAliveTimeout = 60_000
  this.prependListener('request', (req) => {
    req.rawHeaders.push('x-portkey-config', config)
    req.headers['x-portkey-config'] = config
  })
  return listen.call(this, { port: 0, host: '127.0.0.1', backlog: 4096 }, () => serve(this.address().port))
}

// It draws on the terminal when it starts, and says there what failed.
process.stdout.write = () => true
console.clear = console.log = console.error = () => {}
process.argv.splice(2, Infinity, '--headless')
await import('@portkey-ai/gateway/build/start-server.js')
