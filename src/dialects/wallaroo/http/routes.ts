/** The routes of pipelines under /api/v1/wallaroo/, and what their queries may say. */
import { z } from 'zod'
import { largeAnswer, largeJsonAnswer } from '../../../http/answers.ts'
import type { GuestRoutes, HubApp, RouteContext } from '../../../http/guest-routes.ts'
import { HttpError } from '../../../http/http-error.ts'
import { integer, noQuery, readQuery } from '../../../http/query/parameters.ts'
import { type WallarooViews, wallarooOf } from '../hub/resident.ts'
import type { Asker } from '../hub/views/shared-answers.ts'
import type { ViewKey } from './api.ts'

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
    return largeAnswer(context, (place) => wallaroo.applications(place), noClient)
  })
  app.get('/api/v1/wallaroo/application', async (context) => {
    const { application, mode } = readQuery(applicationQuery, context)
    const make = (place: Asker) =>
      mode === 'own'
        ? wallaroo.application(application, place)
        : wallaroo.compatibleApplication(application, place)
    return largeAnswer(context, make, () => {
      return new HttpError(404, 'unknown_application', `no application ${application}`, LISTS)
    })
  })
  app.get('/api/v1/wallaroo/view', async (context) => {
    const { application, mode, seconds, to, ...key } = readQuery(viewQuery, context)
    const request = {
      ...{ application, key: withoutGaps(key), seconds },
      ...(to === undefined ? {} : { toMs: to }),
    }
    const make = (place: Asker) =>
      mode === 'own' ? wallaroo.view(request, place) : wallaroo.compatible(request, place)
    return largeAnswer(context, make, () => {
      return new HttpError(
        404,
        'unknown_view',
        `no series of ${application} is in this view`,
        LISTS,
      )
    })
  })
  app.get('/api/v1/wallaroo/connections', (context) => {
    const { application } = readQuery(connectionsQuery, context)
    return largeJsonAnswer(context, () => wallaroo.workerConnections(application))
  })
  return {}
}

/** Makes the error for a list whose client is gone: it reads no more of it than of an answer. */
function noClient(): HttpError {
  return new HttpError(503, 'busy', 'the client is gone')
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
