import { useEffect, useState } from 'react'
import { Button } from '../../../ui/inputs/button.tsx'
import { Checkbox } from '../../../ui/inputs/field.tsx'
import { Dialog, DialogActions } from '../../../ui/layers/dialog.tsx'
import { say } from '../../../ui/layers/toasts.tsx'
import { Problem, Waiting } from '../../../ui/layout/states.tsx'
import { networkName } from '../../../ui/marks/network-mark.tsx'
import { told, useCall, useChange } from '../../../wire/queries.ts'
import { words } from '../../../words/words.ts'

/** What a login has opened, to choose from. It can be chosen from once. */
export function ChooseProfiles({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error } = useCall('GET /connect-offer/{id}', { id }, { keepsLast: false })
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => setChosen(new Set(data?.Items.map(({ RemoteId }) => RemoteId))), [data])
  const connect = useChange('POST /connect-offer/{id}', {
    stale: ['GET /credential-health', 'v2 GET /credential'],
    done: ({ Items }) => {
      if (Items.length > 0) say(words.profiles.connected(Items.length))
      onClose()
    },
    refused: ({ message }) => say(message, { kind: 'problem' }),
  })
  const submit = () => connect.mutate({ id, remoteIds: [...chosen] })
  const toggle = (remoteId: string, isOn: boolean) => {
    const next = new Set(chosen)
    if (isOn) next.add(remoteId)
    else next.delete(remoteId)
    setChosen(next)
  }
  return (
    <Dialog
      title={data ? words.profiles.choose(networkName(data.Network)) : words.profiles.connect}
      onClose={onClose}
      onSubmit={submit}
    >
      {error && <Problem {...told(error)} />}
      {!data && !error && <Waiting />}
      {data && (
        <>
          <p>{words.profiles.chooseWhy}</p>
          <ul className="choose-profiles">
            {data.Items.map(({ RemoteId, Name, Username }) => (
              <li key={RemoteId}>
                <Checkbox
                  label={<span dir="auto">{Name}</span>}
                  hint={Username}
                  checked={chosen.has(RemoteId)}
                  onChange={(isOn) => toggle(RemoteId, isOn)}
                />
              </li>
            ))}
          </ul>
          <DialogActions>
            <Button onClick={onClose}>{words.ui.cancel}</Button>
            <Button kind="main" type="submit" busy={connect.isPending} onClick={submit}>
              {words.profiles.connectChosen(chosen.size)}
            </Button>
          </DialogActions>
        </>
      )}
    </Dialog>
  )
}
