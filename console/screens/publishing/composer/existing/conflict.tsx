import { useState } from 'react'
import { Button } from '../../../../ui/inputs/button.tsx'
import { Segments } from '../../../../ui/inputs/segments.tsx'
import { Dialog, DialogActions } from '../../../../ui/layers/dialog.tsx'
import { useCall } from '../../../../wire/queries.ts'
import { dayAndClock, list } from '../../../../words/format.ts'
import { words } from '../../../../words/words.ts'
import { type Composition, momentAt, type Profile } from '../composition.ts'
import { compare, type Field, merged } from './editing.ts'

interface MergeProps {
  who: string
  base: Composition
  mine: Composition
  theirs: Composition
  profiles: readonly Profile[]
  /** With what was chosen; and whether it is saved at once. */
  onMerge: (composition: Composition, saves: boolean) => void
  onClose: () => void
}

/** Somebody changed the post meanwhile: what they changed, field by field, beside one's own. */
export function Merge({ who, base, mine, theirs, profiles, onMerge, onClose }: MergeProps) {
  const found = compare(base, mine, theirs)
  const [kept, setKept] = useState<readonly Field[]>([])
  const taken = found.map(({ field }) => field).filter((field) => !kept.includes(field))
  const choose = (field: Field, whose: string) =>
    setKept(whose === 'mine' ? [...kept, field] : kept.filter((one) => one !== field))
  const result = () => merged(mine, theirs, taken)
  return (
    <Dialog
      title={words.composer.changedBy(who)}
      className="conflict"
      onClose={onClose}
      onSubmit={() => onMerge(result(), true)}
    >
      <p>{found.length > 0 ? words.composer.changedWhy : words.composer.changedNothing}</p>
      {found.map(({ field, isBoth }) => (
        <section key={field} className="conflict-field" aria-label={words.composer.fields[field]}>
          <header>
            <h3>
              {words.composer.fields[field]}
              {isBoth && <span className="conflict-both">{words.composer.bothChanged}</span>}
            </h3>
            <Segments
              label={words.composer.whose(words.composer.fields[field])}
              value={kept.includes(field) ? 'mine' : 'theirs'}
              options={[
                { value: 'mine', label: words.composer.keepMine },
                { value: 'theirs', label: words.composer.takeTheirs },
              ]}
              onChange={(whose) => choose(field, whose)}
            />
          </header>
          <div className="conflict-sides">
            <Told
              name={words.composer.mine}
              {...{ field, profiles }}
              composition={mine}
              isChosen={kept.includes(field)}
            />
            <Told name={who} {...{ field, profiles }} composition={theirs} isChosen={!kept.includes(field)} />
          </div>
        </section>
      ))}
      <DialogActions>
        <Button onClick={() => onMerge(result(), false)}>{words.composer.goOnEditing}</Button>
        <Button type="submit" kind="main">
          {words.composer.saveThat}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

interface ToldProps {
  name: string
  field: Field
  composition: Composition
  profiles: readonly Profile[]
  isChosen: boolean
}

function Told({ name, field, composition, profiles, isChosen }: ToldProps) {
  const campaignId = field === 'campaignId' ? composition.campaignId : ''
  const { data } = useCall(
    'v2 GET /campaign/{id}',
    { id: campaignId },
    { enabled: campaignId !== '', keepsLast: false },
  )
  const text = campaignId ? (data?.Campaign.Name ?? '') : inWords(field, composition, profiles)
  return (
    <div className="conflict-side" data-chosen={isChosen || undefined}>
      <h4>{name}</h4>
      <p className="conflict-text" dir="auto">
        {text || <span className="quiet">{words.composer.nothing}</span>}
      </p>
    </div>
  )
}

function inWords(field: Field, composition: Composition, profiles: readonly Profile[]): string {
  const { text, title, comment, card, media, tags, when } = composition
  if (field === 'media') return list(media.map(({ Name }) => Name))
  if (field === 'profiles')
    return list(profiles.filter(({ Id }) => composition.profiles.includes(Id)).map(({ DisplayName }) => DisplayName))
  if (field === 'card') return card ? `${card.title}\n${card.url}` : ''
  if (field === 'tags') return list(tags.map(({ name }) => name))
  if (field === 'when') {
    const at = momentAt(composition)?.moment
    return when === 'at' && at !== undefined ? dayAndClock(at) : words.composer.whens[when]
  }
  return { text, title, comment }[field as 'text' | 'title' | 'comment'] ?? ''
}
