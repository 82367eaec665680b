import { useState } from 'react'
import { told, useCall } from '../../../../wire/queries.ts'
import { dayAndClock } from '../../../../words/format.ts'
import { words } from '../../../../words/words.ts'
import type { Answer } from '../plan.ts'

/** Who did what with a post, and what became of it; read when somebody opens it. */
export function History({ id, profiles }: { id: string; profiles: Answer['Credentials'] }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details className="history" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{words.calendar.history}</summary>
      {isOpen && <Entries {...{ id, profiles }} />}
    </details>
  )
}

function Entries({ id, profiles }: { id: string; profiles: Answer['Credentials'] }) {
  const { data, error } = useCall('GET /post/{id}/history', { id }, { keepsLast: false })
  if (error) return <p role="alert">{told(error).sentence}</p>
  return (
    <ol className="history-entries" aria-busy={!data}>
      {data?.Items.map((entry, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: what happened has no other name, and never changes
        <li key={index}>
          <span className="quiet number">{dayAndClock(entry.At * 1000)}</span>
          <span>
            {words.calendar.happened[entry.Kind](
              entry.UserName || words.calendar.service,
              profiles[entry.CredentialId]?.Name ?? '',
            )}
          </span>
          {entry.Fields.length > 0 && <span className="quiet">{entry.Fields.join(', ')}</span>}
          {entry.Text && <span dir="auto">{entry.Text}</span>}
        </li>
      ))}
    </ol>
  )
}
