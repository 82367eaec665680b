import { leadsSomewhere } from '../../../shell/router.ts'
import { Icon } from '../../../ui/marks/icons.tsx'
import type { Body } from '../../../wire/call.ts'
import { words } from '../../../words/words.ts'

type Steps = Body<'GET /overview'>['FirstSteps']

const places: { [step in keyof Steps]: string } = {
  Profile: '/app/profiles',
  Campaign: '/app/campaigns',
  Post: '/app/compose',
  Invitation: '/app/people',
  Webhook: '/app/webhooks',
}

/** For whoever begins, until all of it is done. */
export function FirstSteps({ steps }: { steps: Steps }) {
  const w = words.home
  const names = Object.keys(places) as (keyof Steps)[]
  if (names.every((name) => steps[name])) return null
  return (
    <section className="first-steps" aria-labelledby="first-steps">
      <h2 id="first-steps">{w.steps}</h2>
      <p className="quiet">{w.stepsWhy}</p>
      <ol>
        {names.map((name) => (
          <li key={name} data-done={steps[name] || undefined}>
            <Icon name={steps[name] ? 'check' : 'dashed'} />
            <span className="unseen">{steps[name] ? w.done : w.toDo}: </span>
            {!steps[name] && leadsSomewhere(places[name]) ? <a href={places[name]}>{w.step[name]}</a> : w.step[name]}
          </li>
        ))}
      </ol>
    </section>
  )
}
