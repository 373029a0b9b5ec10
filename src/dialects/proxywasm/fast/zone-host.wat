;; The metric calls of Proxy-Wasm (host mode spec, numeric ids) on a zone whose memory is a shared
;; WebAssembly.Memory: linked straight into a filter, they save it the way through JavaScript.
;; What they cannot finish they hand on, with the same arguments.
;;
;; Memory (docs/formats/zone.md; all addresses in bytes):
;;   header       metrics: u32 at $metricsAt | generation: i32 at $generationAt
;;                lock: i32 at $lockAt | segments: u32 at $segmentsAt
;;   entry        64 B each from $entriesAt, tableAt at + $tableField (in ints)
;;   descriptor   page table from $descriptorTableAt: u32 per 2048 metrics
;;                [..][length | type << 16 | mode << 24 at +4][slotAt at +8][..][shared: u64 at +24]
;;   chunk table  u32 per chunk: page | class << 24, 0 = none
;;
;; A kind is type | mode << 8 as the descriptor has them; the mode of a retired or unlinked metric
;; differs, and so does that of a guarded counter, so such an id is handed on.
;;
;; That way is gone once. The place it leads to is kept in a private memory, an i32 per id:
;;   0 = not looked for, or handed on
;;   else the slot's address less 7 of a counter, less 6 of a shared gauge, less 4 of a dense
;;   histogram. Slots are 8-byte aligned: bit 0, 1 or 2 tells what it is, and the offset of an
;;   access adds what was taken away.
;; places.ts says how long a place is good, and empties the cells.
(module
  ;; First the places: an engine has the address of a module's first memory at hand, and looks up
  ;; others, here while the place is on its way.
  (import "places" "memory" (memory $places 65 65))
  (import "zone" "memory" (memory $zone 1 65536 shared))
  (import "zone" "metricsAt" (global $metricsAt i32))
  (import "zone" "generationAt" (global $generationAt i32))
  (import "zone" "lockAt" (global $lockAt i32))
  ;; 1 where all segments are in this memory: not in a zone that took the place of another.
  (import "zone" "hasTotals" (global $hasTotals i32))
  (import "zone" "segmentsAt" (global $segmentsAt i32))
  (import "zone" "entriesAt" (global $entriesAt i32))
  (import "zone" "tableField" (global $tableField i32))
  (import "zone" "descriptorTableAt" (global $descriptorTableAt i32))
  (import "zone" "chunkTableAt" (global $chunkTableAt i32))
  (import "zone" "counterKind" (global $counterKind i32))
  (import "zone" "gaugeKind" (global $gaugeKind i32))
  (import "zone" "denseKind" (global $denseKind i32))
  (import "slow" "increment" (func $slowIncrement (param i32 i64) (result i32)))
  (import "slow" "record" (func $slowRecord (param i32 i64) (result i32)))
  (import "slow" "get" (func $slowGet (param i32 i32) (result i32)))
  ;; put(valueAt, low, high): writes a u64 into the filter's memory and answers the status.
  (import "slow" "put" (func $put (param i32 i32 i32) (result i32)))
  ;; wrapped(): a gauge fell below zero.
  (import "slow" "wrapped" (func $wrapped))

  ;; Address of the descriptor of an id; 0 = no metric.
  (func $descriptor (param $id i32) (result i32)
    (local $metric i32)
    (local.set $metric (i32.sub (local.get $id) (i32.const 1)))
    (if (i32.ge_u (local.get $metric) (i32.atomic.load $zone (global.get $metricsAt)))
      (then (return (i32.const 0))))
    (i32.add
      (i32.shl
        (i32.load $zone
          (i32.add (global.get $descriptorTableAt)
            (i32.shl (i32.shr_u (local.get $metric) (i32.const 11)) (i32.const 2))))
        (i32.const 16))
      (i32.shl (i32.and (local.get $metric) (i32.const 2047)) (i32.const 5))))

  ;; Address of a slot by a chunk table; 0 = the segment has no such chunk.
  (func $slot (param $tableAt i32) (param $slotAt i32) (result i32)
    (local $page i32)
    (local.set $page
      (i32.and (i32.const 0xffffff)
        (i32.atomic.load $zone
          (i32.add (local.get $tableAt)
            (i32.shl (i32.shr_u (local.get $slotAt) (i32.const 13)) (i32.const 2))))))
    (if (result i32) (i32.eqz (local.get $page))
      (then (i32.const 0))
      (else
        (i32.add (i32.shl (local.get $page) (i32.const 16))
          (i32.shl (i32.and (local.get $slotAt) (i32.const 8191)) (i32.const 3))))))

  ;; Sum of a slot's word over all segments.
  (func $total (param $slotAt i32) (result i64)
    (local $entry i32) (local $left i32) (local $table i32) (local $slot i32) (local $sum i64)
    (local.set $entry
      (i32.add (global.get $entriesAt) (i32.shl (global.get $tableField) (i32.const 2))))
    (local.set $left (i32.atomic.load $zone (global.get $segmentsAt)))
    (block $done
      (loop $next
        (br_if $done (i32.eqz (local.get $left)))
        (local.set $table (i32.atomic.load $zone (local.get $entry)))
        (if (local.get $table)
          (then
            (local.set $slot
              (call $slot (i32.shl (local.get $table) (i32.const 2)) (local.get $slotAt)))
            (if (local.get $slot)
              (then
                (local.set $sum (i64.add (local.get $sum) (i64.load $zone (local.get $slot))))))))
        (local.set $entry (i32.add (local.get $entry) (i32.const 64)))
        (local.set $left (i32.sub (local.get $left) (i32.const 1)))
        (br $next)))
    (local.get $sum))

  ;; Place of an id by the way through the zone, kept where there is a cell for it; 0 = none.
  ;; In the cell behind the last id's: the highest id with a place, -1 = no place is given.
  (func $locate (param $id i32) (result i32)
    (local $descriptor i32) (local $kind i32) (local $place i32)
    (local.set $descriptor (call $descriptor (local.get $id)))
    (if (i32.or (i32.eqz (local.get $descriptor))
          (i32.lt_s (i32.load $places offset=0x400000 (i32.const 0)) (i32.const 0)))
      (then (return (i32.const 0))))
    (local.set $kind (i32.load16_u $zone offset=6 (local.get $descriptor)))
    (if (i32.eq (local.get $kind) (global.get $gaugeKind))
      (then (local.set $place (i32.add (local.get $descriptor) (i32.const 18))))
      (else
        (if (i32.and (i32.ne (local.get $kind) (global.get $counterKind))
              (i32.ne (local.get $kind) (global.get $denseKind)))
          (then (return (i32.const 0))))
        (local.set $place
          (call $slot (global.get $chunkTableAt) (i32.load $zone offset=8 (local.get $descriptor))))
        (if (i32.eqz (local.get $place)) (then (return (i32.const 0))))
        ;; JavaScript finds out, and has it guarded, that a total comes near its end
        (if (i32.and (i32.eq (local.get $kind) (global.get $counterKind))
              (i64.ge_u (call $totalOf (local.get $id)) (i64.const 0x4000000000000000)))
          (then (return (i32.const 0))))
        (local.set $place
          (i32.sub (local.get $place)
            (select (i32.const 7) (i32.const 4)
              (i32.eq (local.get $kind) (global.get $counterKind)))))))
    (if (i32.lt_u (local.get $id) (i32.const 0x100000))
      (then
        (i32.store $places (i32.shl (local.get $id) (i32.const 2)) (local.get $place))
        (if (i32.gt_s (local.get $id) (i32.load $places offset=0x400000 (i32.const 0)))
          (then (i32.store $places offset=0x400000 (i32.const 0) (local.get $id))))))
    (local.get $place))

  ;; Place of an id, kept or found; 0 = none.
  (func $place (param $id i32) (result i32)
    (local $place i32)
    (if (i32.lt_u (local.get $id) (i32.const 0x100000))
      (then
        (local.set $place (i32.load $places (i32.shl (local.get $id) (i32.const 2))))
        (if (local.get $place) (then (return (local.get $place))))))
    (call $locate (local.get $id)))

  ;; Counters first: what is done most often. With a tail call at its end it is a function that
  ;; calls none, which an engine enters without a look for the end of the stack.
  (func (export "increment") (param $id i32) (param $delta i64) (result i32)
    (local $place i32) (local $slot i64) (local $sum i64)
    (block $else
      (br_if $else (i32.ge_u (local.get $id) (i32.const 0x100000)))
      (local.set $place (i32.load $places (i32.shl (local.get $id) (i32.const 2))))
      (br_if $else (i32.eqz (i32.and (local.get $place) (i32.const 1))))
      (local.set $slot (i64.load $zone offset=7 (local.get $place)))
      (local.set $sum (i64.add (local.get $slot) (local.get $delta)))
      ;; a negative increment is none; from 2^52 on JavaScript looks whether the total would pass
      (br_if $else
        (i64.ge_u
          (i64.or (local.get $delta) (i64.or (local.get $slot) (local.get $sum)))
          (i64.const 0x10000000000000)))
      (i64.store $zone offset=7 (local.get $place) (local.get $sum))
      (return (i32.const 0)))
    (return_call $incrementElse (local.get $id) (local.get $delta)))

  (func $incrementElse (param $id i32) (param $delta i64) (result i32)
    (local $place i32) (local $before i64) (local $slot i64) (local $sum i64)
    (local.set $place (call $place (local.get $id)))
    (if (i32.and (local.get $place) (i32.const 2))
      (then
        (local.set $before
          (i64.atomic.rmw.add $zone offset=6 (local.get $place) (local.get $delta)))
        (if (i32.and (i64.lt_s (local.get $delta) (i64.const 0))
              (i64.lt_u (local.get $before) (i64.sub (i64.const 0) (local.get $delta))))
          (then (call $wrapped)))
        (return (i32.const 0))))
    (if (i32.and (local.get $place) (i32.const 1))
      (then
        (local.set $slot (i64.load $zone offset=7 (local.get $place)))
        (local.set $sum (i64.add (local.get $slot) (local.get $delta)))
        (if (i64.lt_u
              (i64.or (local.get $delta) (i64.or (local.get $slot) (local.get $sum)))
              (i64.const 0x10000000000000))
          (then
            (i64.store $zone offset=7 (local.get $place) (local.get $sum))
            (return (i32.const 0))))))
    (call $slowIncrement (local.get $id) (local.get $delta)))

  ;; What is less than the total, or near its end, is for JavaScript, which has the counter guarded.
  (func $setTotal (param $id i32) (param $place i32) (param $value i64) (result i32)
    (local $generation i32) (local $total i64)
    (local.set $generation (i32.atomic.load $zone (global.get $generationAt)))
    (local.set $total (call $totalOf (local.get $id)))
    (if (i32.or
          (i32.or (i64.lt_u (local.get $value) (local.get $total))
            (i64.ge_u (local.get $value) (i64.const 0x4000000000000000)))
          (i32.or (call $isGuarded (local.get $id))
            (i32.eqz (call $isStill (local.get $generation)))))
      (then (return (i32.const 0))))
    (i64.store $zone offset=7 (local.get $place)
      (i64.add (i64.load $zone offset=7 (local.get $place))
        (i64.sub (local.get $value) (local.get $total))))
    (i32.const 1))

  ;; Whether a counter that has a place was guarded since: of such a one writers may not see all.
  (func $isGuarded (param $id i32) (result i32)
    (i32.ne (global.get $counterKind)
      (i32.load16_u $zone offset=6 (call $descriptor (local.get $id)))))

  (func $totalOf (param $id i32) (result i64)
    (call $total (i32.load $zone offset=8 (call $descriptor (local.get $id)))))

  ;; Whether a sum is right: no fold or retirement ran since, which an even generation that has not
  ;; changed says, and the zone was not replaced meanwhile, after which its lock is held for ever.
  ;; The fence keeps the plain loads of the sum before this look.
  (func $isStill (param $generation i32) (result i32)
    (atomic.fence)
    (i32.and
      (i32.and (global.get $hasTotals)
        (i32.ne (i32.atomic.load $zone (global.get $lockAt)) (i32.const -1)))
      (i32.and
        (i32.eqz (i32.and (local.get $generation) (i32.const 1)))
        (i32.eq (local.get $generation) (i32.atomic.load $zone (global.get $generationAt))))))

  ;; Histograms first. With the ways below written out here, engines make theirs a quarter slower.
  (func (export "record") (param $id i32) (param $value i64) (result i32)
    (local $place i32)
    (block $else
      (br_if $else (i32.ge_u (local.get $id) (i32.const 0x100000)))
      (local.set $place (i32.load $places (i32.shl (local.get $id) (i32.const 2))))
      (br_if $else (i32.eqz (i32.and (local.get $place) (i32.const 4))))
      (call $observe (local.get $place) (local.get $value))
      (return (i32.const 0)))
    (return_call $recordElse (local.get $id) (local.get $value)))

  (func $observe (param $place i32) (param $value i64)
    (local $bin i32)
    (i64.store $zone offset=4 (local.get $place)
      (i64.add (i64.load $zone offset=4 (local.get $place)) (local.get $value)))
    ;; bin = value <= 1 ? 0 : value > 2^31 - 1 ? 32 : 64 - clz(value - 1)
    (if (i64.gt_u (local.get $value) (i64.const 1))
      (then
        (local.set $bin (i32.const 32))
        (if (i64.le_u (local.get $value) (i64.const 2147483647))
          (then
            (local.set $bin
              (i32.wrap_i64
                (i64.sub (i64.const 64)
                  (i64.clz (i64.sub (local.get $value) (i64.const 1))))))))))
    (local.set $place (i32.add (local.get $place) (i32.shl (local.get $bin) (i32.const 3))))
    (i64.store $zone offset=12 (local.get $place)
      (i64.add (i64.load $zone offset=12 (local.get $place)) (i64.const 1))))

  (func $recordElse (param $id i32) (param $value i64) (result i32)
    (local $place i32)
    (local.set $place (call $place (local.get $id)))
    (if (i32.and (local.get $place) (i32.const 4))
      (then
        (call $observe (local.get $place) (local.get $value))
        (return (i32.const 0))))
    (if (i32.and (local.get $place) (i32.const 2))
      (then (if (call $setGauge (local.get $place) (local.get $value))
        (then (return (i32.const 0))))))
    (if (i32.and (local.get $place) (i32.const 1))
      (then (if (call $setTotal (local.get $id) (local.get $place) (local.get $value))
        (then (return (i32.const 0))))))
    (call $slowRecord (local.get $id) (local.get $value)))

  ;; A gauge with parts in two zones is set in both, by JavaScript. The lock is looked at after the
  ;; store: either this sees that the zone was replaced, or the store came before.
  (func $setGauge (param $place i32) (param $value i64) (result i32)
    (i64.atomic.store $zone offset=6 (local.get $place) (local.get $value))
    (i32.and (global.get $hasTotals)
      (i32.ne (i32.atomic.load $zone (global.get $lockAt)) (i32.const -1))))

  (func (export "get") (param $id i32) (param $valueAt i32) (result i32)
    (local $place i32) (local $generation i32) (local $value i64)
    (local.set $place (call $place (local.get $id)))
    (if (i32.and (i32.shr_u (local.get $place) (i32.const 1)) (global.get $hasTotals))
      (then
        (return
          (call $give (local.get $valueAt) (i64.atomic.load $zone offset=6 (local.get $place))))))
    (if (i32.and (local.get $place) (i32.const 1))
      (then
        (local.set $generation (i32.atomic.load $zone (global.get $generationAt)))
        (local.set $value (call $totalOf (local.get $id)))
        (if (i32.and (call $isStill (local.get $generation))
              (i32.eqz (call $isGuarded (local.get $id))))
          (then (return (call $give (local.get $valueAt) (local.get $value)))))))
    (call $slowGet (local.get $id) (local.get $valueAt)))

  (func $give (param $valueAt i32) (param $value i64) (result i32)
    (call $put (local.get $valueAt)
      (i32.wrap_i64 (local.get $value))
      (i32.wrap_i64 (i64.shr_u (local.get $value) (i64.const 32)))))
)
