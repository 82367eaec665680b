import { idKinds } from '#kernel/ids.ts'

export const eventIds = idKinds({ event: '0EV' })
