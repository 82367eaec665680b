import { useState } from 'react'
import { Button } from '../../../ui/inputs/button.tsx'
import { ManyCombobox } from '../../../ui/inputs/combobox.tsx'
import { Field } from '../../../ui/inputs/field.tsx'
import { Dialog, DialogActions } from '../../../ui/layers/dialog.tsx'
import { say } from '../../../ui/layers/toasts.tsx'
import { told, useChange } from '../../../wire/queries.ts'
import { words } from '../../../words/words.ts'
import { showing } from './campaign.ts'
import { useTags } from './tags.ts'

/** A new campaign: a name is enough. */
export function MakeDialog({ onClose, onMade }: { onClose: () => void; onMade: (id: string) => void }) {
  const [name, setName] = useState('')
  const [url, setUrl] = useState('')
  const [tagIds, setTagIds] = useState<string[]>([])
  const [problem, setProblem] = useState('')
  const { options, find } = useTags()
  const w = words.campaigns
  const make = useChange('v2 POST /campaign', {
    stale: showing,
    done: ({ Campaign }) => {
      say(w.made(Campaign.Name))
      onClose()
      onMade(Campaign.Id)
    },
    refused: (failure) => setProblem(told(failure).sentence),
  })
  const submit = () =>
    name.trim() === ''
      ? setProblem(w.nameMissing)
      : make.mutate({ name, ...(url.trim() && { url }), ...(tagIds.length > 0 && { tagIds }) })
  return (
    <Dialog title={w.new} onClose={onClose} onSubmit={submit}>
      <Field label={w.name} hint={w.nameHint} value={name} maxLength={255} dir="auto" onChange={setName} />
      <Field label={w.url} hint={w.urlHint} value={url} type="url" inputMode="url" onChange={setUrl} />
      <ManyCombobox label={w.tags} options={options} values={tagIds} onChange={setTagIds} onFind={find} />
      {problem && (
        <p className="hint" data-problem role="alert">
          {problem}
        </p>
      )}
      <DialogActions>
        <Button onClick={onClose}>{words.ui.cancel}</Button>
        <Button type="submit" kind="main" busy={make.isPending}>
          {w.make}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
