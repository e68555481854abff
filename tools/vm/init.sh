#!/bin/busybox sh
# The first process of the virtual machine. Shows it the host's files, read-only below a layer in memory, and runs the job.
export PATH=/bin
busybox mkdir -p /proc /sys /dev /host /out /root /changes
busybox mount -t proc proc /proc
busybox mount -t sysfs sys /sys
busybox mount -t devtmpfs dev /dev

# load NAME[:OPTION]...: loads a module.
load() {
  for word in "$@"; do
    options=$(busybox echo "$word" | busybox cut -s -d: -f2- | busybox tr : ' ')
    busybox insmod "/modules/${word%%:*}.ko" $options || busybox echo "no module $word"
  done
}

# Without the last option the console would take the display.
load netfs 9pnet 9pnet_virtio 9p overlay drm drm_kms_helper:fbdev_emulation=0 drm_shmem_helper binder_linux:devices=binder,hwbinder,vndbinder
for word in $(busybox cat /proc/cmdline); do
  case $word in vm.load=*) load $(busybox echo "${word#vm.load=}" | busybox tr , ' ') ;; esac
done

shared=trans=virtio,version=9p2000.L,msize=512000
busybox mount -t 9p -o "$shared,ro,cache=loose" root /host
busybox mount -t 9p -o "$shared" out /out
busybox mount -t tmpfs -o size=75% changes /changes
busybox mkdir /changes/up /changes/work
busybox mount -t overlay -o lowerdir=/host,upperdir=/changes/up,workdir=/changes/work root /root
for folder in proc sys dev; do
  busybox mkdir -p /root/$folder
  busybox mount --bind /$folder /root/$folder
done
busybox mkdir -p /root/dev/shm /root/dev/pts /root/out
busybox mount -t tmpfs shm /root/dev/shm
busybox mount -t devpts pts /root/dev/pts
busybox mount -t tmpfs run /root/run
busybox mount --bind /out /root/out
busybox mkdir -p /root/dev/binderfs
busybox mount -t binder -o stats=global binder /root/dev/binderfs
busybox mount -t debugfs debug /root/sys/kernel/debug
busybox ip link set lo up

# Says what each thread of a program waits for, once the host asks: it does if it hears nothing for long.
tell_threads() {
  until [ -e /out/asked ]; do busybox sleep 5; done
  for thread in /proc/[0-9]*/task/*; do
    [ -n "$(busybox tr -d '\0' < "$thread/../../cmdline")" ] || continue # a thread of the kernel
    busybox echo "$thread ($(busybox cat "$thread/comm")) $(busybox cat "$thread/wchan"), system call $(busybox cat "$thread/syscall")"
    busybox head -n 5 "$thread/stack"
  done
}
tell_threads &

busybox chroot /root /bin/sh /out/job
busybox echo $? > /out/status
busybox sync
busybox poweroff -f
