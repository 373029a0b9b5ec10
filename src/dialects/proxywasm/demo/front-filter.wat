;; The demo's Proxy-Wasm filter: what stands in front of an invented shop counts its requests by
;; route, measures how long each took and how many sessions are open. Assembled into
;; front-filter.ts by test/filters/front-filter.ts.
(module
  (import "env" "proxy_define_metric" (func $define (param i32 i32 i32 i32) (result i32)))
  (import "env" "proxy_increment_metric" (func $increment (param i32 i64) (result i32)))
  (import "env" "proxy_record_metric" (func $record (param i32 i64) (result i32)))
  (import "env" "proxy_log" (func $log (param i32 i32 i32) (result i32)))

  (memory (export "memory") 1 1)
  (global $heap (mut i32) (i32.const 4096))
  (global $random (mut i32) (i32.const 5))
  (global $requests (mut i32) (i32.const 0))
  (global $sessions (mut i64) (i64.const 40))

  ;; 0: names; 256: [type:u32][name at:u32][name size:u32] x 8; 512: microseconds by route
  ;; 1024: the metrics' ids
  (data (i32.const 0)
    "requests.route=home" "requests.route=search" "requests.route=product"
    "requests.route=cart" "requests.route=pay" "denied" "sessions" "took"
    "the front is configured")
  (data (i32.const 256)
    "\00\00\00\00\00\00\00\00\13\00\00\00"   ;; counter requests.route=home
    "\00\00\00\00\13\00\00\00\15\00\00\00"   ;; counter requests.route=search
    "\00\00\00\00\28\00\00\00\16\00\00\00"   ;; counter requests.route=product
    "\00\00\00\00\3e\00\00\00\13\00\00\00"   ;; counter requests.route=cart
    "\00\00\00\00\51\00\00\00\12\00\00\00"   ;; counter requests.route=pay
    "\00\00\00\00\63\00\00\00\06\00\00\00"   ;; counter denied
    "\01\00\00\00\69\00\00\00\08\00\00\00"   ;; gauge sessions
    "\02\00\00\00\71\00\00\00\04\00\00\00")  ;; histogram took
  (data (i32.const 512)
    "\84\03\00\00" "\f0\55\00\00" "\40\1f\00\00" "\e0\2e\00\00" "\08\4c\01\00")

  (func $id (param $index i32) (result i32)
    (i32.load (i32.add (i32.const 1024) (i32.shl (local.get $index) (i32.const 2)))))

  ;; Numerical Recipes' generator; its upper half, 16 bits, is random enough to look at
  (func $draw (result i32)
    (global.set $random
      (i32.add (i32.mul (global.get $random) (i32.const 1664525)) (i32.const 1013904223)))
    (i32.shr_u (global.get $random) (i32.const 16)))

  (func (export "proxy_abi_version_0_2_1"))
  (func (export "proxy_on_memory_allocate") (param $size i32) (result i32)
    (local $at i32)
    (local.set $at (global.get $heap))
    (global.set $heap (i32.add (global.get $heap) (local.get $size)))
    (local.get $at))
  (func (export "proxy_on_context_create") (param i32 i32))

  (func (export "proxy_on_vm_start") (param i32 i32) (result i32)
    (local $i i32)
    (local $entry i32)
    (loop $next
      (local.set $entry
        (i32.add (i32.const 256) (i32.mul (local.get $i) (i32.const 12))))
      (if (call $define
            (i32.load (local.get $entry))
            (i32.load offset=4 (local.get $entry))
            (i32.load offset=8 (local.get $entry))
            (i32.add (i32.const 1024) (i32.shl (local.get $i) (i32.const 2))))
        (then (return (i32.const 0))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $i) (i32.const 8))))
    (i32.const 1))

  (func (export "proxy_on_configure") (param i32 i32) (result i32)
    (drop (call $log (i32.const 2) (i32.const 117) (i32.const 23)))
    (i32.const 1))

  (func (export "proxy_on_request_headers") (param i32 i32 i32) (result i32)
    (local $route i32)
    (local.set $route (i32.rem_u (global.get $requests) (i32.const 5)))
    (global.set $requests (i32.add (global.get $requests) (i32.const 1)))
    (drop (call $increment (call $id (local.get $route)) (i64.const 1)))
    (if (i32.eqz (i32.and (call $draw) (i32.const 63)))
      (then (drop (call $increment (call $id (i32.const 5)) (i64.const 1)))))
    (call $walk)
    (call $measure (local.get $route))
    (i32.const 0))

  ;; one session more or one less, never below none
  (func $walk
    (local $step i64)
    (local.set $step
      (select (i64.const 1) (i64.const -1) (i32.and (call $draw) (i32.const 1))))
    (if (i32.and (i64.eqz (global.get $sessions)) (i64.lt_s (local.get $step) (i64.const 0)))
      (then (return)))
    (global.set $sessions (i64.add (global.get $sessions) (local.get $step)))
    (drop (call $record (call $id (i32.const 6)) (global.get $sessions))))

  ;; half of what is typical of the route, and up to three times that, mostly little
  (func $measure (param $route i32)
    (local $typical i64)
    (local $share i64)
    (local.set $typical
      (i64.load32_u (i32.add (i32.const 512) (i32.shl (local.get $route) (i32.const 2)))))
    (local.set $share
      (i64.shr_u
        (i64.mul (i64.extend_i32_u (call $draw)) (i64.extend_i32_u (call $draw)))
        (i64.const 16)))
    (drop (call $record (call $id (i32.const 7))
      (i64.add
        (i64.shr_u (local.get $typical) (i64.const 1))
        (i64.shr_u
          (i64.mul (i64.mul (local.get $typical) (i64.const 3)) (local.get $share))
          (i64.const 16)))))))
