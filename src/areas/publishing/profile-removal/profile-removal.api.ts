import { z } from 'zod'
import { endpoint } from '#kernel/http/endpoint.ts'
import * as params from '#kernel/wire/params.ts'
import { done } from '#kernel/wire/replies.ts'
import { remove } from './profile-removal.ts'

/** Here and not beside the profiles: deleting one takes back its posts, of which profiles know nothing. */
export const endpoints = [
  endpoint('DELETE /credential/{id}', {
    summary: 'Delete a social profile and the posts scheduled for it',
    needs: 'administer',
    params: z.object({ id: params.pathId('credential') }),
    reply: done,
    run: remove,
  }),
]
