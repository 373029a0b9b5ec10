/** The routes of pipelines under /api/v1/wallaroo/ (api.ts). */

import { jsonAnswer, Refusal } from '../../../http/answers.ts'
import type { HubApp } from '../../../http/hub-app.ts'
import { largeAnswer } from '../../../http/large-json.ts'
import {
  applicationQuery,
  connectionsQuery,
  noQuery,
  pipelineViewQuery,
  readQuery,
} from '../../../http/query/parameters.ts'
import type { HubView } from '../../../hub/view.ts'
import type {
  ApplicationAnswer,
  CompatibleAnswer,
  CompatibleApplicationAnswer,
  ViewAnswer,
  ViewKey,
} from '../hub/answers.ts'
import { BusyError, type WallarooViews, wallarooOf } from '../hub/resident.ts'

interface Gapped {
  readonly category: string
  readonly pipeline?: string | undefined
  readonly worker?: string | undefined
  readonly name?: string | undefined
}

const LISTS = 'GET /api/v1/wallaroo/applications and …/application list what there is'

export function addPipelineRoutes(app: HubApp, hub: HubView): void {
  const { clock } = hub
  const wallaroo: WallarooViews = wallarooOf(hub)!

  app.get('/api/v1/wallaroo/applications', async (context) => {
    readQuery(noQuery, context)
    return largeAnswer(context, await made(wallaroo.applications()), clock)
  })
  app.get('/api/v1/wallaroo/application', async (context) => {
    const { application, mode } = readQuery(applicationQuery, context)
    const asked =
      mode === 'own'
        ? wallaroo.application(application)
        : wallaroo.compatibleApplication(application)
    const answer = await made<ApplicationAnswer | CompatibleApplicationAnswer | undefined>(asked)
    if (answer !== undefined) return largeAnswer(context, answer, clock)
    throw new Refusal(404, 'unknown_application', `no application ${application}`, LISTS)
  })
  app.get('/api/v1/wallaroo/view', async (context) => {
    const { application, mode, seconds, to, ...key } = readQuery(pipelineViewQuery, context)
    const request = {
      ...{ application, key: withoutGaps(key), seconds },
      ...(to === undefined ? {} : { toMs: to }),
    }
    const asked = mode === 'own' ? wallaroo.view(request) : wallaroo.compatible(request)
    const answer = await made<ViewAnswer | CompatibleAnswer | undefined>(asked)
    if (answer !== undefined) return largeAnswer(context, answer, clock)
    throw new Refusal(404, 'unknown_view', `no series of ${application} is in this view`, LISTS)
  })
  app.get('/api/v1/wallaroo/connections', (context) => {
    const { application } = readQuery(connectionsQuery, context)
    return jsonAnswer(context, wallaroo.workerConnections(application))
  })
}

/** @throws {Refusal} where the hub is making too many other views */
async function made<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (error) {
    if (!(error instanceof BusyError)) throw error
    const hint = `ask again in ${error.retryAfterS} s; views are made one after another`
    throw new Refusal(503, 'busy', error.message, hint, { 'Retry-After': `${error.retryAfterS}` })
  }
}

/** Labels that were not given are added up over: they are no part of the key. */
function withoutGaps({ category, pipeline, worker, name }: Gapped): ViewKey {
  return {
    category,
    ...(pipeline === undefined ? {} : { pipeline }),
    ...(worker === undefined ? {} : { worker }),
    ...(name === undefined ? {} : { name }),
  }
}
