import { z } from 'zod'
import { ways } from '#kernel/caller.ts'
import { idFilter } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { momentOrNone } from '#kernel/wire/params.ts'
import { accountIds } from '../declarations.ts'

const changeable = [
  ...['user', 'team', 'session', 'webhook', 'webhookPayload', 'tag', 'campaign', 'message', 'post'],
  ...['postlog', 'workflow', 'workflowItem', 'customEvent', 'media', 'mediaFolder', 'upload'],
  ...['credential', 'targetingPreset', 'link', 'conversionTag', 'cname', 'streamTab', 'stream'],
]
const anything = params.idOfAny(
  changeable.map((name) => ({ name })),
  { min: 0 },
)

/** Shared by pages and exports. */
export const deedFilters = z.object({
  userId: idFilter(accountIds.user).optional(),
  operation: params.lineList({ max: 50 }).optional(),
  id: anything.optional(),
  via: params.word(ways).optional(),
  from: momentOrNone.optional(),
  to: momentOrNone.optional(),
})
