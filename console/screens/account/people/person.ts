import type { Body } from '../../../wire/call.ts'

export type Person = Body<'GET /user'>['Items'][number]
export type Team = Body<'GET /team'>['Items'][number]
