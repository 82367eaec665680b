import { job } from '#kernel/jobs/job.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import type { Person, PersonalPlace } from '#kernel/person/person.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** So long one run goes on before it hands over to the next, so that nobody's history keeps others waiting. */
const turn = 30 * second

interface Forgetting {
  accountId: string
  person: Person
  /** How far it has come: in which place, and where there. */
  place: number
  from: string
}

/** Name and queue, for whoever enqueues it. */
export const forgetPerson = { name: 'leads.forget-person', queue: 'housekeeping' } as const

interface Places {
  places: readonly PersonalPlace[]
  /** Letters that lie in a folder, where there is one. */
  forgetInLetters: (person: Person) => Promise<void>
}

/** Removes what is kept of a person in every place, in small pieces: killed at any moment, it goes on from where it was. */
export const forgetPersonJob = ({ places, forgetInLetters }: Places) =>
  job<Forgetting>(forgetPerson.name, {
    ...forgetPerson,
    retryDelays: [5 * second, minute, 10 * minute, hour, 6 * hour, 24 * hour],
    timeout: 5 * minute,
    async run({ transaction, complete, signal, log }, { accountId, person, place, from }) {
      const until = performance.now() + turn
      let at = { place, from }
      for (let kept = places[at.place]; kept && !signal.aborted && performance.now() < until; kept = places[at.place]) {
        const { forget } = kept
        const next = await transaction(accountId, (context) => forget(context, person, at.from))
        at = next === undefined ? { place: at.place + 1, from: '' } : { place: at.place, from: next }
      }
      const isDone = at.place >= places.length
      if (isDone) await forgetInLetters(person)
      await complete(accountId, async (context) => {
        if (!isDone) await enqueue(context, forgetPerson, { accountId, person, ...at })
      })
      if (isDone) log.info({ account: accountId, lead: person.leadId }, 'a person was forgotten')
    },
  })
