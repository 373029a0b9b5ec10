/** The route of Semaphore: the lamps that it remembers. */
import { jsonAnswer } from '../../../src/http/answers.ts'
import type { GuestRoutes, HubApp, RouteContext } from '../../../src/http/guest-routes.ts'
import { noQuery, readQuery } from '../../../src/http/query/parameters.ts'
import { semaphoreOf } from '../hub/resident.ts'

export function addRoutes(app: HubApp, { view }: RouteContext): GuestRoutes {
  app.get('/api/v1/semaphore/lamps', (context) => {
    readQuery(noQuery, context)
    return jsonAnswer(context, { lamps: semaphoreOf(view)?.lamps ?? [] })
  })
  return {}
}
