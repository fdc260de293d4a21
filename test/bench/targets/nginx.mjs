// nginx with proxy_next_upstream, one worker: the bound outside Node.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { answerCommands } from '../process/control.mjs'
import { backup, limitMs, primary } from './serve.mjs'

const PAGE_BYTES = 4096
const START_MS = 10_000

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

const freePort = () => new Promise((resolve) => {
  const server = createServer().listen({ port: 0, host: '127.0.0.1' }, () => {
    const { port } = server.address()
    server.close(() => resolve(port))
  })
})

// `max_fails=0`: else the first leg would rest for ten seconds after one failure, and the next requests would measure one leg.
const config = (port) => `
daemon off;
worker_processes 1;
worker_rlimit_nofile 20000;
pid nginx.pid;
error_log /dev/null crit;
events { worker_connections 16384; }
http {
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  client_body_buffer_size 128k;
  client_max_body_size 20m;
  keepalive_requests 100000000;
  keepalive_timeout 60s;
  tcp_nodelay on;
  upstream legs {
    server ${new URL(primary).host} max_fails=0;
    server ${new URL(backup).host} max_fails=0 backup;
    keepalive 8192;
    keepalive_requests 100000000;
  }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      proxy_pass http://legs;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Authorization "Bearer sk-host";
      proxy_buffering off;
      proxy_buffer_size 16k;
      proxy_buffers 8 16k;
      proxy_read_timeout ${limitMs ?? 120_000}ms;
      proxy_next_upstream error timeout invalid_header http_500 http_502 http_503 http_504 http_429 http_403 http_404 non_idempotent;
    }
  }
}
`

const folder = mkdtempSync(join(tmpdir(), 'bench-nginx-'))
const port = await freePort()
writeFileSync(join(folder, 'nginx.conf'), config(port))
const master = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: ['ignore', 'ignore', 'inherit'] })
master.on('error', (error) => { throw error })
process.on('exit', () => {
  master.kill('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
})

const accepts = () => new Promise((resolve) => {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('connect', () => resolve(true)).on('error', () => resolve(false)).on('connect', () => socket.destroy())
})

const deadline = performance.now() + START_MS
while (!await accepts()) {
  if (performance.now() > deadline) throw new Error('nginx does not listen')
  await sleep(20)
}
const worker = readFileSync(`/proc/${master.pid}/task/${master.pid}/children`, 'utf8').trim().split(' ')[0]

answerCommands({
  port: () => port,
  // The scheduler's own count of the time the worker ran, in nanoseconds: finer than the ticks of its `stat`.
  cpu: () => Number(readFileSync(`/proc/${worker}/schedstat`, 'utf8').split(' ')[0]) / 1000,
  memory: () => Number(readFileSync(`/proc/${worker}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES,
})
