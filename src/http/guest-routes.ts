/**
 * Routes that a dialect brings, in its own folder: it reads with query/parameters.ts, answers with
 * answers.ts, and takes what it answers from its side of the hub. The guards, the count of requests
 * and the refusal of other methods are the house's for all routes.
 */
import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'
import type { Dialect } from '../dialects/dialect.ts'
import type { Reports } from '../dialects/endpoints.ts'
import type { HubView } from '../hub/view.ts'
import type { HttpError } from './http-error.ts'
import type { HeavyAnswers } from './load/heavy-answers.ts'

interface HubEnvironment {
  /** Bindings that Node's server adds to a request. */
  readonly Bindings: HttpBindings
  readonly Variables: {
    /** Places for large answers. */
    readonly answers: HeavyAnswers
  }
}
/** The application of all routes, and a request to it. */
export type HubApp = Hono<HubEnvironment>
export type HubContext = Context<HubEnvironment>

/** A dialect as the HTTP side sees it. */
export interface RoutedGuest {
  readonly dialect: Dialect
  /** Bytes that bodies may have, by path of its routes that take more than is usual. */
  bodyLimits?(options: Readonly<Record<string, unknown>>): Readonly<Record<string, number>>
  /** Port at which everything of the HTTP port is served, too; 0 for none. */
  furtherPort?(options: Readonly<Record<string, unknown>>): number
  /**
   * Adds its routes: called once, at the first request; they are below `/api/v1/NAME`, but for
   * those whose path its document says.
   */
  addRoutes?(app: HubApp, context: RouteContext): GuestRoutes | Promise<GuestRoutes>
}

/** Context that routes of a dialect are made of. */
export interface RouteContext {
  readonly view: HubView
  /** Options of the guest's section of the configuration. */
  readonly options: Readonly<Record<string, unknown>>
  readonly reports: Reports
}

/** Facts that the house must know of routes once they are added; often none. */
export interface GuestRoutes {
  /** Routes whose errors are not an ApiError, by path: those of the guards as well. */
  readonly errorAnswers?: Readonly<Record<string, ErrorAnswer>>
  /** Ends answers that have no end of their own. */
  stop?(): void
}

/** Answers what a route, or a guard before it, has refused. */
export type ErrorAnswer = (context: HubContext, refusal: HttpError) => Response
