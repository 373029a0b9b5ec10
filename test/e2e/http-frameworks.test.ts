/** Servers of other makers, measured without a change to them: routes by their templates. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { serve } from '@hono/node-server'
import Router from '@koa/router'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { routePath } from 'hono/route'
import Koa from 'koa'
import { Metrics, nameRoute } from '../../src/index.ts'
import { CounterRegistry } from '../../src/instrument/index.ts'

function measured(t: TestContext): Metrics {
  const metrics = new Metrics(new CounterRegistry())
  const measuring = metrics.http({ client: false })
  t.after(() => measuring.close())
  return metrics
}

/** Asks for two carts, one list and what is nowhere; gives method, route, status and count. */
async function routesOf(metrics: Metrics, port: number): Promise<unknown[]> {
  const url = `http://127.0.0.1:${port}/shop`
  for (const path of ['/cart/1', '/cart/2', '/list', '/cart/boom', '/nowhere']) {
    await (await fetch(url + path, { headers: { connection: 'close' } })).text()
  }
  const duration = metrics.histogram('http.server.request.duration')
  const total = () => duration.values().reduce((sum, { value }) => sum + Number(value.count), 0)
  for (let i = 0; i < 1000 && total() < 5; i++) await new Promise((done) => setTimeout(done, 5))
  return duration
    .values()
    .map(({ labels, value }) => {
      const of = Object.fromEntries(labels)
      return [of['http.route'], of['http.response.status_code'], Number(value.count)]
    })
    .sort()
}

const WANTED = [
  ['', '404', 1],
  ['/shop/cart/:id', '200', 2],
  ['/shop/cart/:id', '500', 1],
  ['/shop/list', '200', 1],
]

async function listening(server: Server, t: TestContext): Promise<number> {
  if (!server.listening) await once(server, 'listening')
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}

test('Express: routes are named as they are, in routers, too', async (t) => {
  const metrics = measured(t)
  const router = express.Router()
  router.get('/cart/:id', (request, response) => {
    if (request.params.id === 'boom') throw new Error('boom')
    response.send('cart')
  })
  router.get('/list', (_, response) => {
    response.send('list')
  })
  const app = express().use('/shop', router)
  // Express writes what was thrown to stderr, but for this.
  app.set('env', 'test')
  const port = await listening(app.listen(0, '127.0.0.1'), t)
  assert.deepEqual(await routesOf(metrics, port), WANTED)
})

test('Fastify: its own channel says the route', async (t) => {
  const metrics = measured(t)
  const app = fastify()
  app.get('/shop/cart/:id', async (request) => {
    if ((request.params as { id: string }).id === 'boom') throw new Error('boom')
    return 'cart'
  })
  app.get('/shop/list', async () => 'list')
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.after(() => app.close())
  const { port } = app.server.address() as AddressInfo
  assert.deepEqual(await routesOf(metrics, port), WANTED)
})

test('Koa: one line of middleware hands the matched route on', async (t) => {
  const metrics = measured(t)
  const router = new Router({ prefix: '/shop' })
  router.get('/cart/:id', (context) => {
    if (context.params.id === 'boom') context.throw(500)
    context.body = 'cart'
  })
  router.get('/list', (context) => {
    context.body = 'list'
  })
  const app = new Koa()
  app.silent = true
  app.use(async (context, next) => {
    try {
      await next()
    } finally {
      if (typeof context._matchedRoute === 'string') nameRoute(context.req, context._matchedRoute)
    }
  })
  app.use(router.routes())
  const port = await listening(createServer(app.callback()).listen(0, '127.0.0.1'), t)
  assert.deepEqual(await routesOf(metrics, port), WANTED)
})

test('Hono on node:http: one line of middleware hands the matched route on', async (t) => {
  const metrics = measured(t)
  type Bindings = { incoming: IncomingMessage; outgoing: ServerResponse }
  const app = new Hono<{ Bindings: Bindings }>()
  app.use(async (context, next) => {
    await next()
    const route = routePath(context, -1)
    if (route !== '/*') nameRoute(context.env.incoming, route)
  })
  app.get('/shop/cart/:id', (context) => {
    if (context.req.param('id') === 'boom') return context.text('boom', 500)
    return context.text('cart')
  })
  app.get('/shop/list', (context) => context.text('list'))
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server
  assert.deepEqual(await routesOf(metrics, await listening(server, t)), WANTED)
})
