/** The types of the routes' framework, with what Node's server adds to a request. */
import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'

export type HubApp = Hono<{ Bindings: HttpBindings }>
export type HubContext = Context<{ Bindings: HttpBindings }>
