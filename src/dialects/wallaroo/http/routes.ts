/** The routes of pipelines under /api/v1/wallaroo/, and what their queries may say. */
import { z } from 'zod'
import { largeAnswer, largeJsonAnswer } from '../../../http/answers.ts'
import type { GuestRoutes, HubApp, RouteContext } from '../../../http/guest-routes.ts'
import { HttpError } from '../../../http/http-error.ts'
import { integer, noQuery, readQuery } from '../../../http/query/parameters.ts'
import { BusyError, type WallarooViews, wallarooOf } from '../hub/resident.ts'
import type {
  ApplicationAnswer,
  CompatibleAnswer,
  CompatibleApplicationAnswer,
  ViewAnswer,
  ViewKey,
} from './api.ts'

interface Gapped {
  readonly category: string
  readonly pipeline?: string | undefined
  readonly worker?: string | undefined
  readonly name?: string | undefined
}

/** Names of peers may be anything; the head of a request limits them. */
const name = z.string()
const SECONDS_MIN = 10
const SECONDS_MAX = 3600

const mode = z.enum(['own', 'compatible']).default('own')
const applicationQuery = z.strictObject({ application: name, mode })
const connectionsQuery = z.strictObject({ application: name.optional() })

const viewQuery = z.strictObject({
  application: name,
  category: name,
  pipeline: name.optional(),
  worker: name.optional(),
  name: name.optional(),
  mode,
  seconds: integer(SECONDS_MIN, SECONDS_MAX).default(300),
  /** Unix milliseconds. */
  to: integer(0, 8.64e15).optional(),
})

const LISTS = 'GET /api/v1/wallaroo/applications and …/application list what there is'

export function addRoutes(app: HubApp, { view }: RouteContext): GuestRoutes {
  const wallaroo: WallarooViews | undefined = wallarooOf(view)
  if (wallaroo === undefined) return {}
  app.get('/api/v1/wallaroo/applications', async (context) => {
    readQuery(noQuery, context)
    return largeAnswer(context, await made(wallaroo.applications()))
  })
  app.get('/api/v1/wallaroo/application', async (context) => {
    const { application, mode } = readQuery(applicationQuery, context)
    const asked =
      mode === 'own'
        ? wallaroo.application(application)
        : wallaroo.compatibleApplication(application)
    const answer = await made<ApplicationAnswer | CompatibleApplicationAnswer | undefined>(asked)
    if (answer !== undefined) return largeAnswer(context, answer)
    throw new HttpError(404, 'unknown_application', `no application ${application}`, LISTS)
  })
  app.get('/api/v1/wallaroo/view', async (context) => {
    const { application, mode, seconds, to, ...key } = readQuery(viewQuery, context)
    const request = {
      ...{ application, key: withoutGaps(key), seconds },
      ...(to === undefined ? {} : { toMs: to }),
    }
    const asked = mode === 'own' ? wallaroo.view(request) : wallaroo.compatible(request)
    const answer = await made<ViewAnswer | CompatibleAnswer | undefined>(asked)
    if (answer !== undefined) return largeAnswer(context, answer)
    throw new HttpError(404, 'unknown_view', `no series of ${application} is in this view`, LISTS)
  })
  app.get('/api/v1/wallaroo/connections', (context) => {
    const { application } = readQuery(connectionsQuery, context)
    return largeJsonAnswer(context, () => wallaroo.workerConnections(application))
  })
  return {}
}

/** @throws {HttpError} where the hub is making too many other views */
async function made<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (error) {
    if (!(error instanceof BusyError)) throw error
    const hint = `ask again in ${error.retryAfterS} s; views are made one after another`
    throw new HttpError(503, 'busy', error.message, hint, { 'Retry-After': `${error.retryAfterS}` })
  }
}

/** Makes a key without the labels that were not given: they are added up over. */
function withoutGaps({ category, pipeline, worker, name }: Gapped): ViewKey {
  return {
    category,
    ...(pipeline === undefined ? {} : { pipeline }),
    ...(worker === undefined ? {} : { worker }),
    ...(name === undefined ? {} : { name }),
  }
}
