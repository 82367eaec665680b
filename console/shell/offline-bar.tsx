import { Icon } from '../ui/marks/icons.tsx'
import { useLostSince } from '../wire/reach.ts'
import { clock } from '../words/format.ts'
import { words } from '../words/words.ts'

/** Says since when the service does not answer, and what still goes on. */
export function OfflineBar() {
  const since = useLostSince()
  return (
    <div role="status">
      {since !== undefined && (
        <p className="offline">
          <Icon name="warning" />
          {words.shell.lost(clock(since))}
        </p>
      )}
    </div>
  )
}
