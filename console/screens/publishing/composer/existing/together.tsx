import { Button } from '../../../../ui/inputs/button.tsx'
import { Icon } from '../../../../ui/marks/icons.tsx'
import { useCall } from '../../../../wire/queries.ts'
import { useWho } from '../../../../wire/session.ts'
import { words } from '../../../../words/words.ts'
import type { Profile } from '../composition.ts'
import type { Written } from '../draft.ts'
import { Merge } from './conflict.tsx'
import { type Reading, useLaterChange } from './editing.ts'
import { useNames, useOthers } from './presence.ts'
import type { Saving } from './saving.ts'

interface TogetherProps {
  reading: Reading
  saving: Saving
  written: Written
  profiles: readonly Profile[]
}

/** Who else is at the post, what they changed meanwhile, and where else its words stand. */
export function Together({ reading, saving, written, profiles }: TogetherProps) {
  const { post } = reading
  const { User } = useWho()
  const others = useOthers(post.Id)
  const changedBy = useLaterChange(post.Id, written.base)
  const names = useNames(others)
  const who = useNames(changedBy ? [changedBy] : [])
  const { theirs } = saving
  const whoSaved = useNames(theirs ? [lastWriter(theirs.reading)] : [])
  const { data } = useCall('v2 GET /post', { messageId: post.MessageId, _count: 25 })
  const elsewhere = Math.max(0, (data?.Total ?? 1) - 1)
  return (
    <>
      {others.length > 0 && (
        <p className="together" role="status">
          <Icon name="people" /> {words.composer.alsoHere(names)}
        </p>
      )}
      {changedBy && changedBy !== User.Id && (
        <p className="together" data-changed role="status">
          <Icon name="warning" /> {words.composer.changedLately(who)}
          <Button onClick={() => void saving.look()}>{words.composer.lookWhat}</Button>
        </p>
      )}
      {elsewhere > 0 && (
        <p className="together">
          <Icon name="copy" /> {words.composer.several(elsewhere)}
        </p>
      )}
      {theirs && written.base && (
        <Merge
          who={whoSaved}
          base={written.base.composition}
          mine={written.composition}
          theirs={theirs.reading.composition}
          profiles={profiles}
          onMerge={saving.merge}
          onClose={saving.close}
        />
      )}
    </>
  )
}

const lastWriter = ({ post, message }: Reading) =>
  message.Modified > post.Modified ? message.ModifiedBy : post.ModifiedBy
