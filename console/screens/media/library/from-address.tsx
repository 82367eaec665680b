import { useState } from 'react'
import { changeSearch } from '../../../shell/router.ts'
import { Button } from '../../../ui/inputs/button.tsx'
import { Field } from '../../../ui/inputs/field.tsx'
import { Dialog, DialogActions } from '../../../ui/layers/dialog.tsx'
import { useChange } from '../../../wire/queries.ts'
import { words } from '../../../words/words.ts'

/** An image of somewhere else, fetched at once. */
export function FromAddress({ folderId, onClose }: { folderId: string; onClose: () => void }) {
  const [resource, setResource] = useState('')
  const [problem, setProblem] = useState<string>()
  const add = useChange('v2 POST /media', {
    stale: ['GET /media', 'v2 GET /media'],
    done: ({ Media }) => {
      onClose()
      changeSearch({ asset: Media.Id })
    },
    refused: ({ message }) => setProblem(message),
  })
  const submit = () => add.mutate({ resource, folderId })
  return (
    <Dialog title={words.library.fromAddress} onClose={onClose} onSubmit={submit}>
      <Field
        label={words.library.address}
        hint={words.library.addressHint}
        problem={problem}
        type="url"
        inputMode="url"
        placeholder="https://"
        value={resource}
        autoFocus
        onChange={(value) => {
          setResource(value)
          setProblem(undefined)
        }}
      />
      <DialogActions>
        <Button onClick={onClose}>{words.ui.cancel}</Button>
        <Button kind="main" type="submit" busy={add.isPending} onClick={submit}>
          {words.library.add}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
