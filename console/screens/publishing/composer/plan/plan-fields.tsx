import { memo, useState } from 'react'
import { Button, IconButton } from '../../../../ui/inputs/button.tsx'
import { Combobox, ManyCombobox } from '../../../../ui/inputs/combobox.tsx'
import { Field } from '../../../../ui/inputs/field.tsx'
import { Dialog, DialogActions } from '../../../../ui/layers/dialog.tsx'
import { told, useCall, useChange, useSettled } from '../../../../wire/queries.ts'
import { words } from '../../../../words/words.ts'
import type { Change, Composition, Tag } from '../composition.ts'

interface PlanFieldsProps extends Pick<Composition, 'campaignId' | 'tags'> {
  change: Change
}

/** What it belongs to. */
export const PlanFields = memo(({ campaignId, tags, change }: PlanFieldsProps) => (
  <div className="plan-fields">
    <CampaignField value={campaignId} onChange={(id) => change({ campaignId: id })} />
    <TagField chosen={tags} onChange={(next) => change({ tags: next })} />
  </div>
))

/** Campaigns that are active, found by their names; where there is none yet, one is made in place. */
function CampaignField({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const [typed, setTyped] = useState('')
  const [isMaking, setIsMaking] = useState(false)
  const q = useSettled(typed, 150)
  const { data } = useCall('v2 GET /campaign', { status: 'active', _order: 'name,1', _count: 50, ...(q && { q }) })
  const { data: chosen } = useCall('v2 GET /campaign/{id}', { id: value }, { enabled: value !== '', keepsLast: false })
  const found = (data?.Items ?? []).map(({ Id, Name }) => ({ value: Id, label: Name }))
  const options =
    chosen && !found.some((option) => option.value === value)
      ? [...(typed ? [] : [{ value, label: chosen.Campaign.Name }]), ...found]
      : found
  // What is chosen is named whatever is looked for.
  const known = chosen && !options.some((option) => option.value === value)
  return (
    <div className="campaign-field" data-part="campaign">
      <Combobox
        label={words.composer.campaign}
        value={value}
        options={known ? [...options, { value, label: chosen.Campaign.Name }] : options}
        onFind={setTyped}
        onChange={onChange}
        placeholder={words.composer.chooseCampaign}
      />
      <IconButton icon="plus" label={words.composer.newCampaign} onClick={() => setIsMaking(true)} />
      {isMaking && <NewCampaign onMade={onChange} onClose={() => setIsMaking(false)} />}
    </div>
  )
}

function NewCampaign({ onMade, onClose }: { onMade: (id: string) => void; onClose: () => void }) {
  const [name, setName] = useState('')
  const { mutate, isPending, error } = useChange('v2 POST /campaign', {
    done: ({ Campaign }) => {
      onMade(Campaign.Id)
      onClose()
    },
    stale: ['v2 GET /campaign'],
  })
  return (
    <Dialog title={words.composer.newCampaign} onClose={onClose} onSubmit={() => name.trim() && mutate({ name })}>
      <Field
        label={words.composer.campaignName}
        value={name}
        onChange={setName}
        required
        problem={error ? told(error).sentence : undefined}
      />
      <DialogActions>
        <Button onClick={onClose}>{words.ui.cancel}</Button>
        <Button
          type="submit"
          kind="main"
          busy={isPending}
          refuses={name.trim() ? undefined : words.composer.campaignNameMissing}
        >
          {words.composer.make}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function TagField({ chosen, onChange }: { chosen: readonly Tag[]; onChange: (tags: Tag[]) => void }) {
  const [typed, setTyped] = useState('')
  const q = useSettled(typed, 150)
  const { data } = useCall('v2 GET /tag', { _count: 100, _order: 'tag,1', ...(q && { q }) })
  const found = (data?.Items ?? []).map(({ Id, Tag }) => ({ id: Id, name: Tag }))
  const all = [...found, ...chosen.filter(({ id }) => !found.some((one) => one.id === id))]
  return (
    <ManyCombobox
      label={words.composer.tags}
      values={chosen.map(({ id }) => id)}
      options={all.map(({ id, name }) => ({ value: id, label: name }))}
      onFind={setTyped}
      onChange={(ids) => onChange(all.filter(({ id }) => ids.includes(id)))}
    />
  )
}
