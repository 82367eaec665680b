import type { Body } from '../../../wire/call.ts'

export type Person = Body<'GET /user'>['Items'][number]
export type Team = Body<'GET /team'>['Items'][number]

/** Who was invited and has not come may have no name yet. */
export const calledBy = ({ Name, Email }: Pick<Person, 'Name' | 'Email'>) => Name.trim() || Email
